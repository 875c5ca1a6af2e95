"""``python -m topicspider.rehearsal FILE``: serves a web at rest."""

import sys

from topicspider.rehearsal.replay import main

sys.exit(main())
