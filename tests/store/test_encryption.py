"""Sealing: only the right key and the right place open a sealed text.

The key ring of the embedded store, in a file beside the database.
Where the ring comes from; nothing is made on the way.
"""

import base64
import errno
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError, UnreadableSecretError, WrongKeyRingError
from bot.store.encryption import (
    KeyRing,
    associated_data,
    check_key_ring,
    key_file_of,
    load_or_make_key_file,
)
from bot.store.snapshot import FileStore
from tests.loops import loop_over
from tests.memory import MemoryDocuments

HERE = associated_data("key", WorkspaceId("T1"))
SECRET = "service_sk_0123456789"


def a_key(fill: int) -> str:
    return base64.b64encode(bytes([fill]) * 32).decode()


def a_ring(*names: str) -> KeyRing:
    """Return a ring whose keys follow from their names."""
    return KeyRing.parse(",".join(f"{name}:{a_key(ord(name[-1]))}" for name in names))


def test_what_was_sealed_comes_back() -> None:
    for text in ("", SECRET, "🦊 é \0 \ud800", "x" * 100_000):
        assert a_ring("k1").decrypt(a_ring("k1").encrypt(text, HERE), HERE) == text


def test_what_an_earlier_release_sealed_still_opens() -> None:
    body = "wGHGHEO7vfuz4SB_TXYStQExNpzheC3QuSkbHOWcXpOOSivGDx2FgWgMUv0F60mBoQ=="

    assert a_ring("k1").decrypt(f"v1.k1.{body}", HERE) == SECRET


@pytest.mark.parametrize(
    "there",
    [
        pytest.param(associated_data("key", WorkspaceId("T2")), id="another-workspace"),
        pytest.param(associated_data("key", WorkspaceId("T1", "E1")), id="another-organisation"),
        pytest.param(associated_data("next-key", WorkspaceId("T1")), id="another-field"),
        pytest.param(associated_data("key", WorkspaceId("T1"), "U1"), id="a-person"),
    ],
)
def test_a_sealed_text_moved_elsewhere_is_refused(there: str) -> None:
    sealed = a_ring("k1").encrypt(SECRET, HERE)

    with pytest.raises(UnreadableSecretError):
        a_ring("k1").decrypt(sealed, there)


def test_a_text_altered_anywhere_is_refused() -> None:
    ring = a_ring("k1", "k2")
    sealed = ring.encrypt("some secret", HERE)

    for place in range(len(sealed)):
        for letter in "A2-=!.":
            altered = f"{sealed[:place]}{letter}{sealed[place + 1 :]}"
            if altered != sealed:
                with pytest.raises(UnreadableSecretError):
                    ring.decrypt(altered, HERE)
    for altered in (sealed[:-4], sealed + "AAAA", sealed + "\n", " " + sealed, sealed + "="):
        with pytest.raises(UnreadableSecretError):
            ring.decrypt(altered, HERE)


def test_a_refusal_does_not_quote_what_may_be_a_plain_secret() -> None:
    with pytest.raises(UnreadableSecretError) as refusal:
        a_ring("k1").decrypt("xoxe.xoxb-1-secret.part", HERE)

    assert "secret" not in str(refusal.value).removeprefix("not a sealed text")


parts = st.lists(st.text(max_size=4), max_size=3)
places = st.tuples(
    st.text(max_size=4), st.none() | st.text(max_size=4), st.text(max_size=4), parts
)


@given(places, places)
def test_two_places_never_look_alike(
    one: tuple[str, str | None, str, list[str]], two: tuple[str, str | None, str, list[str]]
) -> None:
    texts = [
        associated_data(field, WorkspaceId(team, org), *rest)
        for field, org, team, rest in (one, two)
    ]

    assert (texts[0] == texts[1]) is (one == two)


KEY = bytes(range(220, 252))  # its base64 holds + and /, which the other alphabet writes - and _


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(base64.b64encode(KEY).decode(), id="standard"),
        pytest.param(base64.urlsafe_b64encode(KEY).decode(), id="urlsafe"),
        pytest.param(base64.b64encode(KEY).decode().rstrip("="), id="no-padding"),
    ],
)
def test_a_key_may_be_written_in_either_base64(written: str) -> None:
    sealed = KeyRing.parse(f"k1:{base64.b64encode(KEY).decode()}").encrypt(SECRET, HERE)

    ring = KeyRing.parse(f" k1 : {written} ,\n k2:{a_key(2)},")

    assert ring.names == ("k1", "k2")
    assert ring.decrypt(sealed, HERE) == SECRET


@loop_over(
    ("text", "complaint"),
    [
        pytest.param("", "no key", id="empty"),
        pytest.param(a_key(7), "entry 1", id="no-name"),
        pytest.param(f"k1:{a_key(1)},{a_key(7)}:k2", "entry 2", id="wrong-way-round"),
        pytest.param(f"my key:{a_key(7)}", "entry 1", id="space-in-name"),
        pytest.param(f"k1:{a_key(7)[:-8]}", "named k1", id="too-short"),
        pytest.param(f"k1:{a_key(7)[:-2]}!=", "named k1", id="no-base64"),
        pytest.param(f"k1:{a_key(1)},k1:{a_key(7)}", "two keys named k1", id="twice"),
    ],
)
def test_a_wrong_ring_is_refused_without_quoting_a_key(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refusal:
        KeyRing.parse(text)

    assert a_key(7)[4:12] not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_a_ring_shows_no_key() -> None:
    ring = a_ring("k1")

    shown = f"{ring!r} {ring} {vars(ring)}"
    assert a_key(ord("1")) not in shown
    assert str(bytes([ord("1")]) * 32) not in shown


async def test_every_key_that_came_first_is_needed_from_then_on() -> None:
    documents = MemoryDocuments()
    await check_key_ring(documents, a_ring("k1"))
    note = await documents.get("meta/key-check")
    await check_key_ring(documents, a_ring("k1"))
    assert note is not None
    assert await documents.get("meta/key-check") == note
    with pytest.raises(WrongKeyRingError, match="another key of that name"):
        await check_key_ring(documents, KeyRing.parse(f"k1:{a_key(9)}"))
    with pytest.raises(WrongKeyRingError, match=r"named k1.*no key of that name"):
        await check_key_ring(documents, a_ring("k2"))

    await check_key_ring(documents, a_ring("k2", "k1"))

    await check_key_ring(documents, a_ring("k1", "k2"))
    for missing in (a_ring("k1"), a_ring("k2")):
        with pytest.raises(WrongKeyRingError):
            await check_key_ring(documents, missing)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "bot.keys"


def test_the_key_file_is_private_from_the_first_start_on(key_file: Path) -> None:
    before = os.umask(0)
    made = [load_or_make_key_file(key_file)[1]]
    os.umask(before)
    modes = [key_file.stat().st_mode & 0o777]
    key_file.chmod(0o644)  # somebody has copied it
    made.append(load_or_make_key_file(key_file)[1])
    modes.append(key_file.stat().st_mode & 0o777)

    assert (made, modes) == ([True, False], [0o600, 0o600])
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


RING = "k7:" + base64.b64encode(b"7" * 32).decode()


def test_the_setting_goes_before_the_file_that_the_bot_made(path: Path) -> None:
    assert FileStore(path).ring_source(None).ring is None
    assert not path.parent.exists()

    made, _ = load_or_make_key_file(key_file_of(path))
    own, other = FileStore(path).ring_source(None), FileStore(path).ring_source(RING)

    assert own.ring is not None
    assert own.ring.decrypt(made.encrypt("secret", "here"), "here") == "secret"
    assert own.name == f"the key file {path}.key"
    assert other.ring is not None
    assert (other.ring.names, other.name) == (("k7",), "BOT_SECRET_KEYS")
