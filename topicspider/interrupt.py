"""Ctrl-C before a command handles it itself, while modules are imported: exit code 130, and no traceback."""

from __future__ import annotations

import os
import sys
from types import TracebackType


def end_at_ctrl_c() -> None:
    """From here on a KeyboardInterrupt that nobody caught ends the process in silence; every other error is shown as before."""
    shown = sys.excepthook

    def end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            shown(kind, error, trace)
            return
        sys.stdout.flush()
        os._exit(130)  # else Python ends by the signal, which other programs do not take for this code

    sys.excepthook = end
