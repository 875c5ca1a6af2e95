"""The server: who is let in, which view answers, in which language, as a page or as JSON. Nothing here blocks the event loop."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from aiohttp import web
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from topicspider import i18n
from topicspider.errors import ConfigError, CrawlRunning, NotCrawled, TopicSpiderError, UnavailableError, UnknownTopic
from topicspider.i18n import CHINESE, ENGLISH, N_, as_typed
from topicspider.i18n import gettext as _
from topicspider.serve import (
    catalogue,
    changes,
    crawls,
    hits,
    labels,
    page,
    rehearsals,
    starting,
    topic_map,
    topics,
    why,
)
from topicspider.serve.access import Access, Session, TooManyFailures, WrongToken, is_own_host, is_own_origin
from topicspider.serve.shown import FILTERS, address, harvest_chart
from topicspider.serve.site import Change, Data, Download, Fields, Site, View, is_of_demo
from topicspider.serve.stored import NotStored, demo_apart

logger = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

PARTS = (crawls, starting, hits, page, why, labels, changes, topic_map, topics, catalogue, rehearsals)
VIEWS: tuple[View, ...] = tuple(view for part in PARTS for view in part.VIEWS)
CHANGES: tuple[Change, ...] = tuple(change for part in PARTS for change in getattr(part, "CHANGES", ()))
DOWNLOADS: tuple[Download, ...] = tuple(one for part in PARTS for one in getattr(part, "DOWNLOADS", ()))
HOME = "/crawls"
LOGIN = "/login"
OF_LOGIN = (LOGIN, *(f"{LOGIN}/{name}" for name in ("style.css", "login.js", "icon.svg")))
STATIC = Path(__file__).with_name("static")
EVENTS = "/events"
POLL_SECONDS, LONGEST_SILENCE = 1.0, 10
"""Seconds between two looks for news; looks without news after which an empty event is sent, to find out if the reader is gone."""
SAFE_METHODS = ("GET", "HEAD")
LANGUAGE_COOKIE = "topicspider-language"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
STATUS: Mapping[type[TopicSpiderError], HTTPStatus] = {
    WrongToken: HTTPStatus.UNAUTHORIZED,
    TooManyFailures: HTTPStatus.TOO_MANY_REQUESTS,
    **dict.fromkeys((UnknownTopic, NotCrawled, NotStored), HTTPStatus.NOT_FOUND),
    CrawlRunning: HTTPStatus.CONFLICT,
    UnavailableError: HTTPStatus.SERVICE_UNAVAILABLE,
    TopicSpiderError: HTTPStatus.BAD_REQUEST,
}
REASONS = {404: N_("Nothing is at this address."), 405: N_("This address cannot be asked so.")}
SESSION = "session"


class WebPage:
    """One server, which listens on ``host`` and ``port``."""

    def __init__(self, site: Site, access: Access, host: str, port: int) -> None:
        self.site, self.access, self._host, self._port = site, access, host, port
        self._cookie = f"topicspider-{port}"  # a browser sends cookies to all ports of a host
        self._templates = _environment()
        self._is_over = False
        self._rendering = asyncio.Lock()
        self._rendered: dict[tuple[str, ...], tuple[float, str]] = {}
        self.app = web.Application(client_max_size=1 << 20, middlewares=[self._guard])
        self.app.on_response_prepare.append(_add_headers)
        self.app.on_shutdown.append(self._end_streams)
        router = self.app.router
        router.add_get("/", _home)
        router.add_get(LOGIN, self._login_page)
        router.add_post(LOGIN, self._log_in)
        router.add_post("/logout", self._log_out)
        router.add_post("/language", _choose_language)
        router.add_get(f"{LOGIN}/{{name}}", _static)
        router.add_get("/static/{name}", _static)
        for view in VIEWS:
            router.add_get(view.path, partial(self._page, view))
            router.add_get(f"{view.path}.json", partial(self._json_view, view))
            if view.live:
                router.add_get(f"{view.path}{EVENTS}", partial(self._events, view))
        for download in DOWNLOADS:
            router.add_get(download.path, partial(self._send, download))
        for change in CHANGES:
            router.add_post(change.path, partial(self._form, change))
            router.add_post(f"{change.path}.json", partial(self._json_change, change))

    @property
    def link(self) -> str:
        """The link that opens the page in one browser, once."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}{LOGIN}?token={self.access.link_token}"

    def read_ahead(self) -> None:
        """Load what the first request for a view would have to wait for."""
        from topicspider.cli import judge  # noqa: F401

        list(map(self._templates.get_template, self._templates.list_templates(["html"])))

    async def _end_streams(self, _app: web.Application) -> None:
        self._is_over = True

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        i18n.speak(_language_of(request))
        try:
            if not is_own_host(request.headers.get("Host", ""), self._host, self._port):
                raise web.HTTPMisdirectedRequest(reason=N_("this server has another name"))
            request[SESSION] = self._session_of(request)
            if request.method not in SAFE_METHODS:
                await self._check_change(request)
            return await handler(request)
        except web.HTTPException as error:
            if error.status < HTTPStatus.BAD_REQUEST:
                raise
            return self._error_response(request, _(REASONS.get(error.status, error.reason)), error.status)
        except TopicSpiderError as error:
            answer = self._error_response(request, as_typed(str(error)), _status_of(error))
            if isinstance(error, TooManyFailures):
                answer.headers["Retry-After"] = str(int(error.seconds) + 1)
            elif isinstance(error, WrongToken):
                answer.headers["WWW-Authenticate"] = "Bearer"
            return answer
        except ConnectionResetError:
            return web.Response()  # nobody receives this: the client is gone
        except Exception:
            logger.exception("%s %s failed", request.method, request.path)
            text = _("this went wrong here; the log says more")
            return self._error_response(request, text, HTTPStatus.INTERNAL_SERVER_ERROR)

    def _session_of(self, request: web.Request) -> Session | None:
        """The browser's session; None for a program with the token, and for the login page. Raises WrongToken, TooManyFailures."""
        session = self.access.session(request.cookies.get(self._cookie, ""))
        if session is not None or request.path in OF_LOGIN:
            return session
        authorization = request.headers.get("Authorization", "")
        if not (authorization and request.path.endswith((".json", *(download.path for download in DOWNLOADS)))):
            raise WrongToken(_("open the link that `scrapy serve` printed, or type the token below it"))
        self.access.check_bearer(authorization, request.remote or "")
        return None

    async def _check_change(self, request: web.Request) -> None:
        """Accept changes only from our own pages, with the CSRF token of the session; programs send the access token instead."""
        if not is_own_origin(request.headers, request.headers["Host"]):
            raise web.HTTPForbidden(reason=N_("a page of another site asked for this change"))
        session: Session | None = request[SESSION]
        if session is None or request.path == LOGIN:
            return
        fields = await _fields(request)
        given = request.headers.get("X-CSRF-Token") or fields.get("csrf", "")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), session.csrf.encode()):
            raise web.HTTPForbidden(reason=N_("the form is not of this session: load the page again"))

    async def _login_page(self, request: web.Request) -> web.Response:
        if request[SESSION] is not None:  # the link was opened again in a browser that is logged in
            return _redirect(HOME)
        return self._render(request, "login.html", {"token": request.query.get("token", "")})

    async def _log_in(self, request: web.Request) -> web.Response:
        fields = await _fields(request)
        session = self.access.log_in(fields.get("token", "").strip(), request.remote or "")
        answer = _redirect(HOME)
        answer.set_cookie(self._cookie, session.key, httponly=True, samesite="Strict", path="/")
        return answer

    async def _log_out(self, request: web.Request) -> web.Response:
        if request[SESSION] is not None:
            self.access.log_out(request[SESSION])
        return _redirect(LOGIN)

    async def _page(self, view: View, request: web.Request) -> web.Response:
        data = await asyncio.to_thread(_view_data, view, self.site, _query(request))
        return self._render(request, view.template, data)

    async def _json_view(self, view: View, request: web.Request) -> web.Response:
        data = await asyncio.to_thread(_view_data, view, self.site, _query(request))
        return _json({"error": data["problem"]}, HTTPStatus.BAD_REQUEST) if data.get("problem") else _json(data)

    async def _json_change(self, change: Change, request: web.Request) -> web.Response:
        fields = await _fields(request)
        return _json(await asyncio.to_thread(change.act, self.site.asked_for(fields), fields))

    async def _send(self, download: Download, request: web.Request) -> web.StreamResponse:
        fields = _query(request)
        with TemporaryDirectory() as folder:
            content = await asyncio.to_thread(download.make, self.site.asked_for(fields), fields, Path(folder))
            answer: web.StreamResponse
            if isinstance(content.body, Path):
                headers = {"Content-Type": content.content_type, **content.headers}
                answer = web.FileResponse(content.body, headers=headers)
            else:
                headers = {"Content-Type": f"{content.content_type}; charset=utf-8", **content.headers}
                answer = web.Response(body=content.body, headers=headers)
            await answer.prepare(request)  # sends the file before its folder is deleted
        return answer

    async def _events(self, view: View, request: web.Request) -> web.StreamResponse:
        """Sends the live parts of ``view`` whenever they change, as server-sent events, until the reader is gone or the server ends."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        sent, silent = "", 0
        while not self._is_over and request.transport is not None:
            try:
                text = await self._live_text(view, request)
            except TopicSpiderError:  # its crawl was deleted; the next request gets this error
                break
            if text != sent or silent >= LONGEST_SILENCE:
                lines = text.splitlines() if text != sent else [""]
                with suppress(ConnectionResetError):  # the reader is gone, which ends the loop
                    await response.write("".join(f"data: {line}\n" for line in lines).encode() + b"\n")
                sent, silent = text, 0
            silent += 1
            await asyncio.sleep(POLL_SECONDS)
        return response

    async def _live_text(self, view: View, request: web.Request) -> str:
        """The live parts of ``view`` as HTML, rendered once a second for all readers of one session and language."""
        key = (view.path, request.query_string, i18n.language(), request[SESSION].key)
        async with self._rendering:
            now = asyncio.get_running_loop().time()
            self._rendered = {one: kept for one, kept in self._rendered.items() if now - kept[0] < POLL_SECONDS * 0.9}
            if key not in self._rendered:
                data = await asyncio.to_thread(_view_data, view, self.site, _query(request))
                self._rendered[key] = (now, self._render_text(request, view.live, data))
            return self._rendered[key][1]

    async def _form(self, change: Change, request: web.Request) -> web.Response:
        fields = await _fields(request)
        try:
            data = await asyncio.to_thread(change.act, self.site.asked_for(fields), fields)
        except TopicSpiderError as error:
            if change.form is None:
                raise
            data = await asyncio.to_thread(change.form.look, self.site, fields)
            data["error"] = as_typed(str(error))
            return self._render(request, change.form.template, data, _status_of(error))
        return _redirect(str(data["next"]))

    def _error_response(self, request: web.Request, text: str, status: int) -> web.Response:
        """An error: as JSON for a program or a .json address, else as a page; without a session, the login page."""
        if request.path.endswith(".json") or "Authorization" in request.headers:
            return _json({"error": text}, status)
        is_outside = request.get(SESSION) is None
        data = {"error": text, "status": int(status), "token": ""}
        return self._render(request, "login.html" if is_outside else "error.html", data, status)

    def _render(self, request: web.Request, template: str, data: Data, status: int = HTTPStatus.OK) -> web.Response:
        text = self._render_text(request, template, data)
        return web.Response(text=text, content_type="text/html", status=status)

    def _render_text(self, request: web.Request, template: str, data: Data) -> str:
        session: Session | None = request.get(SESSION)
        chosen = request.query.get("crawl", "") if is_of_demo(request.query) else ""
        values = {
            "error": "",
            "demo": "",
            **data,
            "chosen": chosen,  # links on the page keep the chosen crawl
            "address": partial(address, crawl=chosen) if chosen else address,
            "csrf": session.csrf if session else "",
            "is_inside": session is not None,
            "language": i18n.language(),
            "navigation": [(view.path, view.label) for view in VIEWS if view.label],
            "path": request.path.removesuffix(EVENTS),
            "here": request.path_qs if request.method in SAFE_METHODS else HOME,
        }
        return self._templates.get_template(template).render(values)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"_": _, "ngettext": i18n.ngettext, "address": address, "harvest_chart": harvest_chart}
    environment.filters |= FILTERS
    return environment


def _view_data(view: View, site: Site, fields: Fields) -> Data:
    data = view.look(site.asked_for(fields), fields)
    return data | {"demo": demo_apart(site)} if view.is_of_hits else data


def _json(data: Data, status: int = HTTPStatus.OK) -> web.Response:
    body = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return web.Response(body=body, content_type="application/json", status=status)


def _query(request: web.Request) -> Fields:
    return {name: _taken(request.query[name]) for name in request.query}


def _taken(text: str) -> str:
    """``text`` without NUL and lone surrogates, which neither processes nor files accept."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


async def _fields(request: web.Request) -> Fields:
    """The fields of a form or of a JSON object, without files; raises ConfigError for any other body."""
    try:
        async with asyncio.timeout(10):
            if request.content_type != "application/json":
                form = await request.post()
                return {name: _taken(value) for name, value in form.items() if isinstance(value, str)}
            sent = await request.json()
    except TimeoutError:
        raise web.HTTPRequestTimeout(reason=N_("the form did not come to its end")) from None
    except (ValueError, LookupError, RecursionError, AssertionError, web.RequestPayloadError):
        # broken, of an unknown charset, nested too deeply, parts without an end, no gzip
        sent = None
    if not isinstance(sent, dict):
        raise ConfigError("body", None, "a JSON object")
    return {name: _taken(value if isinstance(value, str) else json.dumps(value)) for name, value in sent.items()}


async def _home(_request: web.Request) -> web.Response:
    return _redirect(HOME)


async def _static(request: web.Request) -> web.StreamResponse:
    """One of the files in static/; aiohttp answers 304 to a browser that has it."""
    path = STATIC / request.match_info["name"]
    if path.parent != STATIC or path.suffix not in (".css", ".js", ".svg") or not path.is_file():
        raise web.HTTPNotFound
    return web.FileResponse(path, headers={"Cache-Control": "private, no-cache"})


async def _choose_language(request: web.Request) -> web.Response:
    fields = await _fields(request)
    answer = _redirect(fields.get("back", HOME))
    language = CHINESE if fields.get("language") == CHINESE else ENGLISH
    answer.set_cookie(LANGUAGE_COOKIE, language, max_age=365 * 86_400, httponly=True, samesite="Strict", path="/")
    return answer


def _language_of(request: web.Request) -> str:
    """The language chosen on the page, else the first of Accept-Language that is available, else English."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    wanted = [chosen, *(part.strip().lower() for part in request.headers.get("Accept-Language", "").split(","))]
    return next((code for name in wanted for code in (CHINESE, ENGLISH) if name.startswith(code)), ENGLISH)


def _redirect(address: str) -> web.Response:
    """Redirect to an address on this server; anything else (//other, http:, no address) redirects to HOME."""
    is_here = address.startswith("/") and address.isprintable() and not (address.startswith("//") or "\\" in address)
    return web.Response(status=HTTPStatus.SEE_OTHER, headers={"Location": address if is_here else HOME})


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def _status_of(error: TopicSpiderError) -> HTTPStatus:
    return next(status for kind, status in STATUS.items() if isinstance(error, kind))


async def serve(site: Site, host: str, port: int, greet: Callable[[WebPage], None]) -> None:
    """Serve on ``host`` and ``port`` (0: any free one) until a signal; calls ``greet`` when it listens, else raises UnavailableError."""
    listener = _listener(host, port)
    page = WebPage(site, Access(), host, listener.getsockname()[1])
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it logs a traceback for each non-HTTP request
    runner = web.AppRunner(page.app, access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        greet(page)
        Thread(target=page.read_ahead, daemon=True).start()
        ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        await ended.wait()
    finally:
        await runner.cleanup()


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]  # the rest repeats the address
        raise UnavailableError(f"{host}:{port}", why, "Choose another port by --port") from None
