"""The page rejects unauthorized requests, and invalid ones log one line."""

import re
import socket
import time
from contextlib import contextmanager, suppress

import msgspec.msgpack
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from harness.page.client import CAMERA, get, open_line, received, send
from rigid_tree_web.web import page as page_module
from rigid_tree_web.web.guard import AccessGuard
from rigid_tree_web.web.page import PageError, close_page, open_page

TOKEN = "an umbrella; and=more"


@contextmanager
def page(host="127.0.0.1", allowed_hosts=(), token=""):
    """Yield the port of a page, its guard, and what it complains of."""
    lines: list[str] = []
    guard = AccessGuard.of(host, allowed_hosts, token)
    server = open_page(host, 0, guard, lines.append)
    try:
        yield server.get_port(), guard, lines
    finally:
        close_page(server)


@pytest.fixture(scope="module")
def shared():
    with page(allowed_hosts=["Robot.example."]) as made:
        yield made


def status_of_line(port, **headers):
    """Return the status with which the page answers the opening of a websocket."""
    try:
        with open_line(port, **headers) as line:
            assert received(line)
    except InvalidStatus as error:
        return error.response.status_code
    return 101


def test_hosts(shared):
    port, _, _ = shared
    accepted = ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]"]
    accepted += ["robot.example", "ROBOT.example.", "localhost:1234"]  # a forwarded port
    rejected = ["evil.example", "localhost.evil.example", "evil.localhost", "192.168.1.2", "local"]
    rejected += ["127.0.0.1.evil.example", "127.1", "0x7f000001", "2130706433", "0.0.0.0", "[::]"]
    rejected += ["localhost:", "localhost:80:80", "user@localhost", "localhost@evil.example"]
    rejected += ["localhost/", "localhost\\@evil.example", "localhost,evil.example", "", "."]
    rejected += ["localhost evil", "[::1", "::1", "localhost.."]
    rejected += ["lоcalhost".encode().decode("latin-1")]
    for hosts, status in ((accepted, 200), (rejected, 403)):
        for host in hosts:
            assert get(port, Host=host)[0] == status, host
    # The rest of what may name a host is not believed.
    named = {"X_Forwarded_Host": "localhost", "Forwarded": "host=localhost"}
    assert get(port, Host="evil.example", **named)[0] == 403
    assert get(port, X_Forwarded_Host="evil.example")[0] == 200


def test_origins(shared):
    port, _, _ = shared
    here = f"localhost:{port}"
    for origin in (None, f"http://{here}", f"HTTP://{here.upper()}", f"https://{here}"):
        assert status_of_line(port, origin=origin) == 101, origin
    foreign = ["null", "", "http://evil.example", "http://localhost", f"http://127.0.0.1:{port}"]
    foreign += [f"http://localhost:{port + 1}", f"ws://{here}", f"file://{here}", here, "file://"]
    foreign += [f"http://{here}@evil.example", f"http://{here}.evil.example", f"http://{here}/"]
    foreign += [f"http://evil.example#http://{here}", f"http://{here},http://evil.example"]
    foreign += [f"http://{here} http://evil.example", "http://robot.example"]
    for origin in foreign:
        assert status_of_line(port, origin=origin) == 403, origin
        assert get(port, Origin=origin)[0] == 403, origin


def test_other_pages_may_link_here_and_nothing_else(shared):
    port, _, _ = shared
    for site in ("cross-site", "same-site"):
        link = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert get(port, **link)[0] == 200
        for change in ({"Sec_Fetch_Dest": "iframe"}, {"Sec_Fetch_Mode": "no-cors"}):
            assert get(port, **link | change)[0] == 403
        other = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "websocket"}
        assert status_of_line(port, **other) == 403
    _, headers, _ = get(port, Sec_Fetch_Site="none")
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


def test_queries_do_not_reach_the_client(shared):
    """It would connect to the server that they name, and do what that one says."""
    port, _, _ = shared
    for query in ("?websocket=ws://evil.example", "?%77ebsocket=ws://evil.example", "?"):
        status, headers, _ = get(port, f"//evil.example/{query}")
        expected = (303, "./") if query != "?" else (404, None)
        assert (status, headers.get("Location")) == expected, query


def test_tokens():
    with page(token=TOKEN) as (port, guard, lines):
        path = guard.address("", port).partition(f":{port}")[2]
        here = {"origin": f"http://localhost:{port}"}
        wrong = ["/", "/?token=", "/?token=an", f"{path}x", f"{path}&token=x", f"/#{path[2:]}"]
        wrong += [f"/?token=x&{path[2:]}", f"/{path[2:]}", path.replace("token", "Token")]
        wrong += ["/?" + "a=b&" * 99]
        for address in wrong:
            assert get(port, address)[0] in (400, 403), address
            assert status_of_line(port, path=address.partition("#")[0], **here) in (400, 403)
        for name in ("Authorization", "X_Token", "Referer"):
            assert get(port, **{name: f"token {TOKEN}"})[0] == 403
        _, cookie = guard.cookie(port).split("=")
        for value in (f"x={cookie}", TOKEN, f"token={TOKEN}", guard.cookie(port + 1)):
            assert get(port, Cookie=value)[0] == 403
        assert not [line for line in lines if TOKEN in line or cookie in line]
        # The token opens the page once, and leaves the address; its cookie opens what follows.
        status, headers, _ = get(port, path)
        assert (status, headers["Location"]) == (303, "./")
        cookie, *attributes = headers["Set-Cookie"].split("; ")
        assert {"HttpOnly", "SameSite=Lax"} <= set(attributes)
        assert TOKEN not in cookie
        assert get(port, Cookie=f"other=1; {cookie}")[0] == 200
        assert status_of_line(port, Cookie=cookie, **here) == 101
        assert status_of_line(port, path=path) == 101
        assert status_of_line(port, Cookie=cookie, origin="http://evil.example") == 403


def test_beyond_loopback_a_token_is_made_and_the_machine_is_known_by_its_own_names():
    with page(host="0.0.0.0") as (port, guard, _):
        assert len(guard.token) >= 32
        assert guard.token != AccessGuard.of("0.0.0.0").token
        key = {"Cookie": guard.cookie(port)}
        assert get(port)[0] == 403
        for host in ("localhost", "127.0.0.1", socket.gethostname()):
            assert get(port, Host=f"{host}:{port}", **key)[0] == 200, host
        # An address that is this machine's, but not the one that was connected to.
        for host in ("evil.example", "0.0.0.0", "192.0.2.1"):
            assert get(port, Host=f"{host}:{port}", **key)[0] == 403, host
    assert AccessGuard.of("::").token
    assert AccessGuard.of("robot.example").token
    assert not any(
        AccessGuard.of(host).token for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost")
    )
    assert AccessGuard.of("192.0.2.7").rejection({"host": ["192.0.2.7:80"]}, "192.0.2.7") == ""
    assert AccessGuard.of("::").rejection({"host": ["192.0.2.7"]}, "::ffff:192.0.2.7") == ""


def raw(port, data):
    """Return what the page answers to bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while part := line.recv(4096):
            answer += part
    return answer


def test_broken_requests_cost_a_line(shared, capfd):
    port, _, lines = shared
    head = f"Host: localhost:{port}\r\n\r\n".encode()
    for path in ("/" + "a" * 300, "/" + "a" * 7000, "/%00", "/..%2f..%2fetc/passwd", "/%ff%fe"):
        assert get(port, path)[0] in (400, 404), path
    for data in (
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n" + head,
        b"GET / HTTP/1.1\r\n" + head.replace(b"\r\n\r\n", b"\r\nHost: evil.example\r\n\r\n"),
        b"POST / HTTP/1.1\r\n" + head,
        b"GET / HTTP/1.0\r\n" + head,
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n" + head,
        b"",
    ):
        before = len(lines)
        answer = raw(port, data)
        assert b" 500 " not in answer.partition(b"\r\n")[0], data[:50]
        assert b" 200 " not in answer.partition(b"\r\n")[0], data[:50]
        assert len(lines) - before <= 1
    assert "Traceback" not in "".join((*capfd.readouterr(), *lines))
    assert max(map(len, lines)) < 1000


MESSAGES = (
    *(None, [], {}, "text", {"type": None}, {"type": "NoSuchMessage"}),
    {"type": "GuiUpdateMessage"},
    {"type": "ViewerCameraMessage", "wxyz": "abc"},
    {"type": "ShareUrlRequest", "x": 1},
    {"type": "GuiUpdateMessage", "uuid": "a", "updates": 7, "more": 8},
)
BROKEN = [b"", b"\xc1", b"\x00" * 1000, *map(msgspec.msgpack.encode, MESSAGES), "text"]


def closes(line):
    """Wait until the page closes a connection."""
    with suppress(ConnectionClosed):
        while True:
            received(line)


def test_broken_messages_close_their_connection_with_a_line(shared, capfd):
    port, _, lines = shared
    for message in BROKEN:
        before = len(lines)
        with suppress(ConnectionClosed), open_line(port) as line:
            line.send(message)
            closes(line)
        assert len(lines) - before == 1, (message, lines[before:])
    with suppress(ConnectionClosed), open_line(port) as line:  # taken in, and then of no use
        for position in (["a", "b", "c"], [1, 2, 3, 4], [None] * 3):
            send(line, CAMERA | {"position": position})
        send(line, {"type": "GuiUpdateMessage", "uuid": [], "updates": 7})
        send(line, {"type": "ShareUrlRequest"})
        send(line, {"type": "NoSuchMessage"})
        closes(line)
    time.sleep(0.2)
    assert "Traceback" not in "".join((*capfd.readouterr(), *lines))
    assert status_of_line(port) == 101


def test_a_viser_without_that_hook_is_rejected(monkeypatch):
    monkeypatch.setattr(page_module._Front, "wrap", lambda *_: None)
    with pytest.raises(PageError, match=re.escape("use viser 1.1")):
        open_page("127.0.0.1", 0, AccessGuard.of("127.0.0.1"), print)
