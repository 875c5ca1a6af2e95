"""``python -m topicspider.rehearsal FILE``: serves a web at rest."""

import sys

from topicspider.rehearsal.replay.server import main

sys.exit(main())
