"""``python -m topicspider.rehearsal FILE``: the same as ``scrapy replay``, without Scrapy's start-up."""

import argparse
import sys

from topicspider.errors import TopicSpiderError
from topicspider.rehearsal.replay.server import add_arguments, serve

parser = argparse.ArgumentParser(prog="replay", description="Serve a recorded or simulated web on this machine.")
add_arguments(parser)
try:
    serve(parser.parse_args())
except TopicSpiderError as error:
    print(f"replay: {error}", file=sys.stderr)
    sys.exit(error.exit_code)
