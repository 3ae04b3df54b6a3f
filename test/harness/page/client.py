"""A client of web_viewer's page with custom headers."""

import http.client
import socket
from typing import Any

import msgspec.msgpack
import viser
import zstandard
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

SUBPROTOCOL = Subprotocol(f"viser-v{viser.__version__}")
CAMERA = {  # viser counts a client as connected once its camera is known
    "type": "ViewerCameraMessage",
    "wxyz": [1, 0, 0, 0],
    "position": [1, 1, 1],
    "fov": 1.0,
    "near": 0.1,
    "far": 100,
    "image_height": 100,
    "image_width": 100,
    "look_at": [0, 0, 0],
    "up_direction": [0, 0, 1],
}


def open_line(
    port: int, origin: str | None = None, host: str = "", path: str = "/", **headers: str
) -> ClientConnection:
    """Open a websocket to the page on this machine, with any header Host."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return connect(
        f"ws://{host or f'localhost:{port}'}{path}",
        sock=socket.create_connection(("127.0.0.1", port)),
        origin=None if origin is None else Origin(origin),
        subprotocols=[SUBPROTOCOL],
        additional_headers=named,
        max_size=None,
        max_queue=None,  # a full queue would keep the closing handshake waiting for 10 s
        proxy=None,
    )


def get(port: int, path: str = "/", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Return the status, headers and body of a response."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": f"localhost:{port}", **headers}.items():
        line.putheader(name.replace("_", "-"), value)
    line.endheaders()
    answer = line.getresponse()
    body = answer.read()
    line.close()
    return answer.status, dict(answer.getheaders()), body


def send(line: ClientConnection, message: dict[str, Any]) -> None:
    """Send one message."""
    line.send(msgspec.msgpack.encode(message))


def received(line: ClientConnection) -> list[dict[str, Any]]:
    """Return the messages of the next frame."""
    data = line.recv(timeout=30)
    packed = int.from_bytes(data[8:16], "little")
    unpacked = zstandard.decompress(data[16 : 16 + packed])
    return [dict(message) for message in msgspec.msgpack.decode(unpacked)["messages"]]


def slider(line: ClientConnection, label: str) -> str:
    """Return the identifier of a slider, once the page has received it."""
    while True:
        for message in received(line):
            if message["type"] == "GuiSliderMessage" and message["props"]["label"] == label:
                return str(message["uuid"])
