"""Make a topic from example texts, and judge what stands on stdin by it: python topic_from_texts.py NAME FILE …"""

import sys
from pathlib import Path

from topicspider import Topic, judge

if len(sys.argv) < 3:
    sys.exit(__doc__)
name, *files = sys.argv[1:]
topic = Topic(name, texts=tuple(Path(file).read_text(encoding="utf-8") for file in files))
score = judge(topic, sys.stdin.read())
print("on topic" if score.on_topic else "off topic", f"{score.value:.2f}, from {score.threshold:.2f} on")
