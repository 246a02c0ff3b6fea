"""Where the ring comes from; nothing is made on the way."""

import base64
from pathlib import Path

from bot.store.encryption import key_file_of, load_or_make_key_file, ring_source

RING = "k7:" + base64.b64encode(b"7" * 32).decode()


def test_the_setting_goes_before_the_file(path: Path) -> None:
    load_or_make_key_file(key_file_of(path))

    source = ring_source(RING, path)

    assert source.ring is not None
    assert source.ring.names == ("k7",)
    assert source.name == "BOT_SECRET_KEYS"


def test_without_the_setting_it_is_the_file_that_the_bot_made(path: Path) -> None:
    made, _ = load_or_make_key_file(key_file_of(path))

    source = ring_source(None, path)

    assert source.ring is not None
    assert source.ring.decrypt(made.encrypt("secret", "here"), "here") == "secret"
    assert source.name == f"the key file {path}.key"


def test_no_file_is_no_ring_and_none_is_made(path: Path) -> None:
    source = ring_source(None, path)

    assert source.ring is None
    assert not path.parent.exists()
