"""The address of the page: taken at once, or refused in a sentence."""

import socket

import pytest

from bot.playground.run import AddressError, listening


def test_port_0_is_a_free_one() -> None:
    with listening("127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_taken_port_is_named_with_the_way_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(AddressError, match=rf"^Port {port} on 127.0.0.1 is taken.*--port"):
            listening("127.0.0.1", port).__enter__()


@pytest.mark.parametrize("host", ["203.0.113.1", "no such host", "::2"])
def test_a_host_that_is_not_this_machine_is_refused_in_a_sentence(host: str) -> None:
    with pytest.raises(AddressError, match=r"^Cannot listen on .*\.$"):
        listening(host, 0).__enter__()
