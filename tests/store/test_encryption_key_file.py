"""The key ring of the embedded store, in a file beside the database."""

import errno
import os
from pathlib import Path

import pytest

from bot.store.documents import StoreError, WrongKeyRingError
from bot.store.encryption import load_or_make_key_file


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bot.keys"


def test_the_first_start_makes_a_private_file(key_file: Path) -> None:
    before = os.umask(0)
    _, is_new = load_or_make_key_file(key_file)
    os.umask(before)

    assert is_new is True
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert list(key_file.parent.iterdir()) == [key_file]


def test_a_stopped_start_leaves_no_half_key(
    key_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_descriptor: int) -> None:
        assert not key_file.exists()
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StoreError, match="no space left"):
            load_or_make_key_file(key_file)

    assert list(key_file.parent.iterdir()) == []
    assert load_or_make_key_file(key_file)[1] is True


def test_a_file_that_others_could_read_is_made_private(key_file: Path) -> None:
    load_or_make_key_file(key_file)
    key_file.chmod(0o644)

    load_or_make_key_file(key_file)

    assert key_file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        pytest.param(b"", "there is no key", id="empty"),
        pytest.param(b"service_sk_secret", "entry 1", id="something-else"),
    ],
)
def test_a_damaged_file_is_not_overwritten(key_file: Path, content: bytes, complaint: str) -> None:
    key_file.parent.mkdir()
    key_file.write_bytes(content)

    with pytest.raises(WrongKeyRingError, match=rf"bot\.keys is garbled: {complaint}") as refusal:
        load_or_make_key_file(key_file)

    assert key_file.read_bytes() == content
    assert "secret" not in str(refusal.value)


def test_a_place_where_no_file_can_be_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    (tmp_path / "file").touch()

    for place in (tmp_path, tmp_path / "dangling", tmp_path / "file" / "bot.keys"):
        with pytest.raises(StoreError, match="cannot be used"):
            load_or_make_key_file(place)
    assert not (tmp_path / "nothing").exists()
