"""The page: viser's web server behind a guard, ground, light and title.

viser has no hook for requests. Versions 1.1.0 and 1.1.1 start their server with the function
``websockets.asyncio.server.serve``, whose argument ``process_request`` is such a hook. While a
server is created, the function is replaced by one that puts the guard before viser's hook. Other
versions of viser that start their server differently are rejected.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gzip
import html
import importlib
import io
import logging
import socket
import threading
import warnings
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import numpy as np

from rigid_tree_kinematics.arrays import Array
from rigid_tree_kinematics.errors import RigidTreeError
from rigid_tree_kinematics.needed_packages import needs
from rigid_tree_kinematics.text import plain
from rigid_tree_web.web.document import with_additions
from rigid_tree_web.web.guard import AccessGuard

if TYPE_CHECKING:
    import viser
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

NO_TOKEN = "Open the page by the address with the token that web_viewer printed at startup.\n"
# Scripts, styles and images are in viser's single file.
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' blob: 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' data: 'unsafe-inline'; object-src 'none'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors "
)
# The pages that may show this one in a frame: none, or those of this machine.
NO_FRAMES, LOCAL_FRAMES = "'none'", "http://localhost:* http://127.0.0.1:*"
BRAND = (16, 70, 117)  # a dark blue; viser makes the lighter ones from it
GREY = (128, 128, 128)
LABEL = "rigid_tree_kinematics"
GROUND_NODE = "/ground"
GROUND, SECTION = 20.0, 1.0  # m, the sides of the grid and of its sections
BELOW_MAPS = -0.01  # m; maps are at z = 0
LONGEST_TITLE = 60  # characters
LONGEST_LINE = 300  # characters of a message
PAGE_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_making = threading.Lock()


class PageError(RigidTreeError):
    """The page cannot be served."""


def open_page(
    host: str, port: int, guard: AccessGuard, warn: Callable[[str], None]
) -> viser.ViserServer:
    """Serve the page on a host's address and port; PageError if they are not available.

    ``warn`` is called in viser's thread with one line for each rejected request or message.
    """
    for package, name in (("viser", "viser"), ("nh3", "nh3"), ("markdown_it", "markdown-it-py")):
        with needs(package, "the page", f"pip install {name}"):
            importlib.import_module(package)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family):
            pass  # otherwise viser would wait forever or silently use another port
    except OSError as error:
        raise PageError(
            f"the page cannot be served on {host}:{port}: {error}; change the parameters host and "
            "port, or in a launch file web_host:= and web_port:="
        ) from error
    server = _make_server(host, port, guard, warn)
    server.gui.configure_theme(
        show_share_button=False, show_logo=False, control_width="medium", brand_color=BRAND
    )
    server.gui.main_panel.dock_right()  # beside the scene, not above it
    server.scene.set_up_direction("+z")
    # One grid for light and dark pages: grey, and thin.
    cells: dict[str, Any] = {"cell_size": 0.5, "cell_color": GREY, "cell_thickness": 0.5}
    cells |= {"section_size": SECTION, "section_color": GREY, "section_thickness": 0.7}
    server.scene.add_grid(GROUND_NODE, GROUND, GROUND, **cells)
    place_ground(server, np.zeros(3))
    server.scene.configure_default_lights()
    return server


def place_ground(server: viser.ViserServer, world: Array) -> None:
    """Put the grid below the origin of the page, with its lines where the world (m) has them."""
    x, y = np.mod(world[:2], SECTION).tolist()
    ground = server.scene.get_handle_by_name(GROUND_NODE)
    assert ground is not None
    ground.position = (x, y, BELOW_MAPS)


def close_page(server: viser.ViserServer) -> None:
    """Stop the server without viser's own messages."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


class PageTitle:
    """The names of the robots; the script of the document copies them to the browser's tab."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._gui = server.gui
        self._hidden = server.gui.add_html("")

    def show(self, names: Sequence[str]) -> None:
        """Show the robots' names."""
        title = plain(", ".join(names), LONGEST_TITLE)
        self._gui.set_panel_label(title)
        self._hidden.content = f'<span class="page-title" hidden>{html.escape(title)}</span>'


class PageCaption:
    """A caption over the scene, which the script of the document shows, and opens a tab with."""

    def __init__(self, server: viser.ViserServer) -> None:
        self._hidden = server.gui.add_html("")

    def show(self, markup: str, tab: str) -> None:
        """Show harmless HTML, none if it is empty, and open a tab by its label, none if empty."""
        content, label = html.escape(markup), html.escape(tab)
        self._hidden.content = (
            f'<span class="page-caption" data-html="{content}" data-tab="{label}" hidden></span>'
        )


def _make_server(
    host: str, port: int, guard: AccessGuard, warn: Callable[[str], None]
) -> viser.ViserServer:
    """Start viser's server behind a guard; PageError for an unsupported version of viser."""
    import viser
    from viser.infra import _infra
    from websockets.asyncio import server as websockets_server

    _set_events_in_the_loop()
    serve, front = websockets_server.serve, _Front(guard, warn)

    def guarded(handler: Any, *arguments: Any, **options: Any) -> Any:
        if handler.__module__ != _infra.__name__:  # another thread's server
            return serve(handler, *arguments, **options)
        front.wrap(options["process_request"])
        options |= {"process_request": front.process_request, "logger": front.logger}
        return serve(front.handler(handler), *arguments, **options)

    with _making, contextlib.redirect_stdout(io.StringIO()):  # the caller prints the address
        websockets_server.serve = guarded  # type: ignore[assignment,misc]
        try:
            server = viser.ViserServer(host=host, port=port, label=LABEL, verbose=False)
        finally:
            websockets_server.serve = serve  # type: ignore[misc]
        if not front.is_used:
            server.stop()
            raise PageError(
                f"requests cannot be checked with viser {viser.__version__}; use viser 1.1"
            )
    # A client could cause any number of these warnings.
    warnings.filterwarnings("ignore", r"\[viser\].* does not match annotation")
    # A client's message could publish the page through a server on the internet.
    server.request_share_url = lambda *_, **__: None  # type: ignore[method-assign]
    return server


class _LoopEvent(asyncio.Event):
    """An event that only the loop's thread can set."""

    def set(self) -> None:
        """Set the event; ignored outside the loop."""
        with contextlib.suppress(RuntimeError):
            asyncio.get_running_loop()
            super().set()


@functools.cache
def _set_events_in_the_loop() -> None:
    """Let any thread send messages.

    viser sets an event in the thread that sends, and again in its loop. The first one iterates
    over the tasks that wait, which the loop may change meanwhile: a RuntimeError then interrupts
    the sender.
    """
    from viser.infra import _infra

    class Buffer(_infra.AsyncMessageBuffer):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options | {"message_event": _LoopEvent()})

    _infra.AsyncMessageBuffer = Buffer  # type: ignore[misc]


class _Front:
    """The layer between the network and viser; all methods run in viser's thread."""

    def __init__(self, guard: AccessGuard, warn: Callable[[str], None]) -> None:
        self._guard = guard
        self._warn: Callable[[str], None] = lambda reason: warn(plain(reason, LONGEST_LINE))
        frames = LOCAL_FRAMES if guard.in_frames else NO_FRAMES
        self._headers = PAGE_HEADERS | {"Content-Security-Policy": POLICY + frames}
        self.is_used = False
        self._documents: dict[bytes, bytes] = {}  # by viser's
        # For websockets, with lines instead of tracebacks.
        self.logger = logging.Logger("rigid_tree_kinematics.page", logging.ERROR)
        self.logger.addHandler(_Lines(self._warn))

    def wrap(self, process_request: Callable[..., Response | None]) -> None:
        """Wrap viser's handler of requests."""
        self._process_request = process_request
        self.is_used = True
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self._report(context))

    def process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Respond to a request; None accepts a websocket."""
        address, port = connection.local_address[:2]
        headers: dict[str, list[str]] = {}
        for name, value in request.headers.raw_items():
            headers.setdefault(name.lower(), []).append(value)
        query = request.path.partition("?")[2]
        try:
            rejection = self._guard.rejection(headers, address)
            if not rejection and not self._guard.has_token(headers, query, port):
                rejection = "it has no valid token"
            if rejection:
                self._warn(f"rejected a request for the page: {rejection}")
                reason = NO_TOKEN if "token" in rejection else f"Rejected: {rejection}.\n"
                return connection.respond(HTTPStatus.FORBIDDEN, reason)
            # Redirect without the query: it keeps the token out of the browser's history, and
            # viser's client would connect to any server that the query names.
            if query and "upgrade" not in headers:
                return self._redirect(connection, port)
            answer = self._process_request(connection, request)
        except (OSError, ValueError) as error:  # from viser, for impossible paths
            self._warn(f"rejected a request for the page: {type(error).__name__}: {error}")
            return connection.respond(HTTPStatus.BAD_REQUEST, "No such path.\n")
        if answer is not None:
            self._replace_document(answer)
            answer.headers.update(self._headers)
        return answer

    def _replace_document(self, answer: Response) -> None:
        """Replace viser's document with the page's own."""
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            return
        body = bytes(answer.body or b"")
        if body not in self._documents:
            is_packed = answer.headers.get("Content-Encoding") == "gzip"
            own = with_additions(gzip.decompress(body) if is_packed else body)
            self._documents[body] = gzip.compress(own) if is_packed else own
        answer.body = self._documents[body]
        del answer.headers["Content-Length"]
        answer.headers["Content-Length"] = str(len(answer.body))

    def _redirect(self, connection: ServerConnection, port: int) -> Response:
        answer = connection.respond(HTTPStatus.SEE_OTHER, "")
        answer.headers["Location"] = "./"
        answer.headers.update(self._headers)
        if self._guard.token:
            cookie = f"{self._guard.cookie(port)}; Path=/; HttpOnly; SameSite=Lax"
            answer.headers["Set-Cookie"] = cookie
        return answer

    def handler(
        self, handler: Callable[[ServerConnection], Awaitable[None]]
    ) -> Callable[[ServerConnection], Awaitable[None]]:
        """Return viser's handler of websockets; it closes those with invalid messages."""
        import viser

        expected = f"viser-v{viser.__version__}"

        async def handle(connection: ServerConnection) -> None:
            if connection.subprotocol != expected:
                spoken = (connection.subprotocol or "none").removeprefix("viser-v")
                reason = f"Version mismatch. Client: {spoken[:20]}, Server: {viser.__version__}"
                self._warn(f"closed a connection to the page: {reason}")
                await connection.close(1002, reason)
                return
            try:
                await handler(connection)
            except Exception as error:
                self._report({"exception": error})
                await connection.close(1007)

        return handle

    def _report(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        reason = f"{type(error).__name__}: {error}" if error else context.get("message", "")
        self._warn(f"rejected a message to the page: {reason}")


class _Lines(logging.Handler):
    """Passes log records on as lines without tracebacks."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__()
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        reason = f": {type(error).__name__}: {error}" if error else ""
        self._report(f"rejected a request for the page: {record.getMessage()}{reason}")
