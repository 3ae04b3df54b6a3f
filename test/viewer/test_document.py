"""The page's document is viser's, with a title and an icon of its own."""

import gzip
import re
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from harness.page.client import get
from rigid_tree_kinematics.viewer.web.document import dressed
from rigid_tree_kinematics.viewer.web.guard import Guard
from rigid_tree_kinematics.viewer.web.page import close_page, open_page
from rigid_tree_kinematics.viewer.web.title import PageTitle

pytest.importorskip("viser")


def test_title_and_icon():
    server = open_page("127.0.0.1", 0, Guard.of("127.0.0.1"), print)
    try:
        status, headers, body = get(server.get_port())
        packed = get(server.get_port(), Accept_Encoding="gzip")[2]
    finally:
        close_page(server)
    assert (status, int(headers["Content-Length"])) == (200, len(body))
    assert gzip.decompress(packed) == body
    text = body.decode()
    assert re.findall("<title>(.*?)</title>", text) == ["Robot"]
    (icon,) = re.findall(r'<link\s+rel="icon"\s+href="data:image/svg\+xml,([^"]*)"', text)
    assert len(ElementTree.fromstring(unquote(icon))) == 4  # not viser's logo, of four paths
    assert "path" in unquote(icon)
    assert dressed(b"nothing of it") == b"nothing of it"


def test_names_are_text():
    server = open_page("127.0.0.1", 0, Guard.of("127.0.0.1"), print)
    try:
        title = PageTitle(server)
        title.show(["a<script>", "b"])
        assert ">a&lt;script&gt;, b<" in title._hidden.content
    finally:
        close_page(server)
