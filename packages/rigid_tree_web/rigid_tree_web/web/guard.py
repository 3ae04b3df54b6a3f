"""Access control of the page: checks of a request's Host, Origin and token."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
EVERYWHERE = ("", "0.0.0.0", "::")  # all addresses of the machine
HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
TOKEN_BYTES = 24  # of a generated token
LONGEST_SHOWN = 100  # characters of a header in a message

# The values of each header of a request, by its name in lower case.
Headers = Mapping[str, list[str]]


@dataclass(frozen=True)
class AccessGuard:
    """Decides which requests are accepted.

    Attributes:
        names: accepted host names and addresses of the page, in lower case. The address at which
            a request arrives is accepted too.
        token: the token that a request must have; empty: none.
        in_frames: whether pages of this machine, such as notebooks, may show the page in a frame.
    """

    names: frozenset[str]
    token: str
    in_frames: bool = False

    @classmethod
    def of(cls, host: str, allowed_hosts: Iterable[str] = (), token: str = "") -> AccessGuard:
        """Return the guard of a page on ``host``.

        If the host is not loopback, the machine's own names are accepted and an empty token is
        replaced by a random one.
        """
        names = {*LOOPBACK_NAMES, *allowed_hosts}
        if not is_loopback(host):
            own = socket.gethostname()
            names |= {own, f"{own.partition('.')[0]}.local", host}
            token = token or secrets.token_urlsafe(TOKEN_BYTES)
        canonical = (canonical_host(name.strip("[]")) for name in names)
        return cls(frozenset(canonical) - {*EVERYWHERE}, token)

    def rejection(self, headers: Headers, local_address: str) -> str:
        """Return why a request at an address is rejected, empty if it is not.

        The token is checked by ``has_token``.
        """
        hosts, origins = headers.get("host", []), headers.get("origin", [])
        match = HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None:
            return f"Host {_shown(hosts)} is not a host name or address"
        name = canonical_host(match[1].strip("[]"))
        # The connection's real address cannot come from an attacker's name server.
        if name not in self.names and name != canonical_host(local_address):
            return f"Host {_shown(hosts)} is not in allowed_hosts"
        own = {f"{scheme}://{hosts[0].lower()}" for scheme in ("http", "https")}
        if origins and (len(origins) > 1 or origins[0].lower() not in own):
            return f"Origin {_shown(origins)} is not the page itself"
        if not origins and self._is_of_foreign_page(headers):
            return "it comes from another web page"
        return ""

    def has_token(self, headers: Headers, query: str, port: int) -> bool:
        """Return whether a request has the token, in its query or in the page's cookie."""
        if not self.token:
            return True
        given = parse_qs(query, max_num_fields=10).get("token", []) if query else []
        if given:
            return len(given) == 1 and _same(given[0], self.token)
        cookies = (part.strip() for line in headers.get("cookie", []) for part in line.split(";"))
        return any(_same(cookie, self.cookie(port)) for cookie in cookies)

    def address(self, host: str, port: int) -> str:
        """Return the page's address on one of its hosts, with the token."""
        name = f"[{host}]" if ":" in host else host
        query = f"/?{urlencode({'token': self.token})}" if self.token else ""
        return f"http://{name}:{port}{query}"

    def cookie(self, port: int) -> str:
        """Return the cookie of an authorized browser for the page on a port.

        Browsers send it to other ports of the host too, so it does not contain the token.
        """
        return f"rigid_tree_page_{port}={hashlib.sha256(self.token.encode()).hexdigest()}"

    def _is_of_foreign_page(self, headers: Headers) -> bool:
        """Return whether another page made the request, except by links and allowed frames."""
        sites = headers.get("sec-fetch-site", [])
        if not sites or sites[0] in ("same-origin", "none"):
            return False
        how = [headers.get(f"sec-fetch-{part}", []) for part in ("mode", "dest")]
        by_frame = self.in_frames and how == [["navigate"], ["iframe"]]
        return how != [["navigate"], ["document"]] and not by_frame


def is_loopback(host: str) -> bool:
    """Return whether a host is loopback."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def canonical_host(name: str) -> str:
    """Return a host name or address (IPv6 without brackets) in a form for comparison."""
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name.lower().removesuffix(".")
    return str(getattr(address, "ipv4_mapped", None) or address)


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode(errors="replace"))


def _shown(values: list[str]) -> str:
    return repr(", ".join(values)[:LONGEST_SHOWN])
