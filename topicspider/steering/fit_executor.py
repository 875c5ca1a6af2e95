"""Fits models anew in a thread of their own, and hands the results over on the event loop, between two pages."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from topicspider.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

Fitted = TypeVar("Fitted")


class ThreadFits:
    """See FitExecutor: one fit after the other, and none holds the event loop up.

    A fit that fails ends nothing: it is counted in ``failures`` and said in one line, and pages are judged by the model there is.
    While not ``is_allowed``, because another node fits for all, fits are left out.
    """

    def __init__(self) -> None:
        self.failures = 0
        self.is_allowed = True
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fits")
        self._is_closed = False

    def run(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        """Call ``fit`` in the thread, then ``adopt`` with what it returned, on the loop that called."""
        if self._is_closed or not self.is_allowed:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # nobody waits: a page judged outside of a crawl
            self._adopt(fit, adopt)
            return
        self._thread.submit(self._fit, loop, fit, adopt)

    def close(self) -> None:
        """Nothing is adopted any more; a fit under way is let go."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _fit(self, loop: asyncio.AbstractEventLoop, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        try:
            fitted = fit()
        except Exception as error:  # noqa: BLE001 - whatever a fit does, the crawl goes on
            self._note(error)
            return
        if not (self._is_closed or loop.is_closed()):
            loop.call_soon_threadsafe(self._adopt, lambda: fitted, adopt)

    def _adopt(self, fit: Callable[[], Fitted], adopt: Callable[[Fitted], None]) -> None:
        if self._is_closed:
            return
        try:
            adopt(fit())
        except Exception as error:  # noqa: BLE001
            self._note(error)

    def _note(self, error: Exception) -> None:
        self.failures += 1
        logger.warning(
            "a model could not be fitted anew, the old one stays: %s: %s", type(error).__name__, one_line(str(error))
        )
