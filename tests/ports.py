"""Ports that stay a test's own until something listens there."""

import socket
import sys
from collections import deque

# More than one test uses; the sockets of those before are closed again.
KEPT = 64
_kept: deque[socket.socket] = deque()


def reserve_port() -> int:
    """Return a port of 127.0.0.1 that the system gives to no one else.

    A port that is found free and let go may be taken before it is used: by another worker of the
    tests, or as the near end of any connection. So a socket stays bound to it, and never listens.
    With SO_REUSEADDR, which servers set too, Linux lets one other socket bind and listen there,
    whereas port 0 never leads to a port that is bound. Elsewhere the second bind would be refused,
    and there the port is let go after all.
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    port = int(keeper.getsockname()[1])
    _kept.append(keeper)
    if sys.platform != "linux":
        keeper.close()
    if len(_kept) > KEPT:
        _kept.popleft().close()
    return port
