"""Write the hits of a crawl as a corpus, without copies: python export_corpus.py TOPIC FILE"""

import json
import subprocess
import sys
from pathlib import Path

if len(sys.argv) != 3:
    sys.exit(__doc__)
topic, corpus = sys.argv[1:]
hits = Path(f"{corpus}.hits.jsonl")
command = [sys.executable, "-m", "topicspider", "export", "--topic", topic, "-o", str(hits)]
exported = subprocess.run(command, check=False)  # noqa: S603
if exported.returncode:  # it has said why
    sys.exit(exported.returncode)
with Path(corpus).open("w", encoding="utf-8") as file:
    for line in hits.read_text(encoding="utf-8").splitlines():
        hit = json.loads(line)  # of copies the export has one
        text = {"title": hit["title"], "text": hit["body"], "url": hit["url"]}
        file.write(json.dumps(text, ensure_ascii=False) + "\n")
hits.unlink()
