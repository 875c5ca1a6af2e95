"""Opens a web whose pages are read already: from a WARC, a made web, or the log of a crawl."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.log_web import open_log_web
from topicspider.rehearsal.archive.page_reader import TokenizerConfig
from topicspider.rehearsal.archive.synthetic_web import open_synthetic_web
from topicspider.rehearsal.archive.warc_read_web import open_warc_web
from topicspider.rehearsal.archive.web import SYNTHETIC
from topicspider.text.segment import SEGMENTERS

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.page_features import ArchivedWeb

Say = Callable[[str], None]
_SQLITE = b"SQLite format 3\0"
_ALLOWED = "FILE.warc, FILE.warc.gz, a crawl.db, or made:[pages=N][,hosts=N][,seed=N][,topic=NAME,topic_hosts=N]"


def open_archived_web(
    spec: str,
    segmenter_name: str,
    *,
    cache: Path | None = None,
    processes: int = 1,
    say: Say = lambda _line: None,
    own_words: Iterable[str] = (),
) -> ArchivedWeb:
    """The web of ``FILE.warc[.gz]``, ``made:SPEC`` or ``crawl.db``, its pages read and cut by ``segmenter_name``.

    A WARC, or a made web of at most 30,000 pages, is read as a whole by ``processes`` processes the first time, which ``say`` is told of;
    the pages then lie in the folder ``cache`` (None: see cache_place.usual_folder). Opened again, in whatever process, it takes well under a second.
    ``own_words``: those of the segmenter after the topic was learned; a crawl of that topic cuts its pages with them, and a cache is for one such cutting.
    What a WARC holds over http only is over https a redirect to it, and the other way round. Raises ConfigError, RecordingError.
    """
    if segmenter_name not in SEGMENTERS:
        raise ConfigError("TOPICSPIDER_SEGMENTER", segmenter_name, ", ".join(SEGMENTERS))
    cutting = TokenizerConfig(segmenter_name, tuple(own_words))
    if spec.startswith(SYNTHETIC):
        return open_synthetic_web(spec, cutting, cache, processes, say)
    path = Path(spec).expanduser()
    if not spec or not path.exists():
        raise ConfigError("web", spec, _ALLOWED, "There is no such file")
    if _begins_with(path, _SQLITE):
        return open_log_web(path, cutting)
    return open_warc_web(path, cutting, cache, processes, say)


def _begins_with(path: Path, mark: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(mark)) == mark
    except OSError:  # whoever opens it next says what is wrong
        return False
