"""Has numpy and scipy count in one thread, when it is imported before them.

Their library starts a thread for each core, and those that wait for work spin: in a crawl, whose fits are small, that was a sixth of all CPU
time. Nor do sums depend on how many cores there are. A number in the environment wins.
"""

from __future__ import annotations

import os

NAME = "OPENBLAS_NUM_THREADS"

os.environ.setdefault(NAME, os.environ.get("OMP_NUM_THREADS", "1"))
