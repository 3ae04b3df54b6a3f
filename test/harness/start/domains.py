"""Unused ROS domains.

A domain is claimed by binding a TCP port, like in ROS's domain_coordinator: no two processes have
the same domain, and the system frees it with the process. A counter in a file delays the reuse of
domains, and domains with running participants are skipped, so nodes of a killed test do not
affect the next one.
"""

import fcntl
import os
import socket
import tempfile
from pathlib import Path

NUMBERS = range(1, 101)  # 0 is the default; Linux uses the ports of 102 and above
CLAIM_PORT = 32768  # TCP, + domain: domain_coordinator.impl.PORT_BASE
# DDSI-RTPS 2.5, 9.6.2.4: a participant's discovery listens on UDP port
# 7400 + 250 * domain + 10 + 2 * participant.
FIRST_PORT, PORTS_OF_A_DOMAIN, PARTICIPANTS = 7410, 250, 32
COUNTER = Path(tempfile.gettempdir()) / f"ros_test_domain_{os.getuid()}"

# No discovery of nodes on other machines.
LOCALHOST = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
if os.environ.get("ROS_DISTRO") == "humble":  # later ones warn about it
    LOCALHOST["ROS_LOCALHOST_ONLY"] = "1"


class Domain:
    """A ROS domain that is reserved until it is closed or this process exits."""

    def __init__(self) -> None:
        for _ in NUMBERS:
            self.number = next_number()
            self._claim = socket.socket()
            if bind(self._claim, CLAIM_PORT + self.number) and is_silent(self.number):
                return
            self._claim.close()
        raise RuntimeError(f"all ROS domains from {NUMBERS[0]} to {NUMBERS[-1]} are in use")

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that put a process into this domain."""
        return {"ROS_DOMAIN_ID": str(self.number), **LOCALHOST}

    def close(self) -> None:
        self._claim.close()


def next_number() -> int:
    """Return the number after the last one that any process received."""
    with COUNTER.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        last = int(file.read() or NUMBERS[0] - 1)
        number = last + 1 if last + 1 in NUMBERS else NUMBERS[0]
        file.truncate(0)
        file.write(str(number))
    return number


def is_silent(domain: int) -> bool:
    """Return whether a domain has no participant on this machine."""
    first = FIRST_PORT + PORTS_OF_A_DOMAIN * domain
    for port in range(first, first + 2 * PARTICIPANTS, 2):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            if not bind(probe, port):
                return False
    return True


def bind(unbound: socket.socket, port: int) -> bool:
    """Bind a socket on all interfaces; return whether the port was free."""
    try:
        unbound.bind(("", port))
    except OSError:
        return False
    return True
