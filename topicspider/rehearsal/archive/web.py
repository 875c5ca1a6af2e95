"""Opens a web to be replayed by what the user calls it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.warc import WarcWeb

if TYPE_CHECKING:
    from topicspider.rehearsal.response import RecordedWeb

SYNTHETIC = "made:"
_ALLOWED = "a file .warc or .warc.gz, or made:[pages=N][,hosts=N][,seed=N][,topic=NAME,topic_hosts=N]"


def open_web(spec: str, *, exact_scheme: bool = False, join_schemes: bool = False) -> RecordedWeb:
    """The web of ``FILE.warc[.gz]`` or ``made:SPEC``; raises ConfigError or RecordingError.

    ``exact_scheme``, ``join_schemes``: see WarcWeb; a made web has every page under both schemes.
    """
    if spec.startswith(SYNTHETIC):
        from topicspider.rehearsal.synthetic.web import SyntheticWeb

        return SyntheticWeb.read(spec[len(SYNTHETIC) :])
    path = Path(spec).expanduser()
    if not spec or not path.exists():
        raise ConfigError("web", spec, _ALLOWED, "There is no such file")
    return WarcWeb(path, exact_scheme=exact_scheme, join_schemes=join_schemes)
