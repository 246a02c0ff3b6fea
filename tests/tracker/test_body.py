import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator

import pytest

from bot.tracker.http import MAX_BODY_BYTES, read_body
from bot.tracker.models import ReplyTooLargeError, UnreadableReplyError
from tests.loops import loop_over

pytestmark = pytest.mark.anyio
MIB = 1024 * 1024


async def in_chunks(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def read(*chunks: bytes, encoding: str = "") -> bytes:
    return await read_body(in_chunks(*chunks), encoding, is_write=True)


# They are parts of the tests' names, which are the same in every process: hence `mtime`.
@loop_over(
    ("encoding", "body"),
    [
        ("", b"hello"),
        ("identity", b"hello"),
        ("gzip", gzip.compress(b"hello", mtime=0)),
        ("X-GZIP, identity", gzip.compress(b"hello", mtime=0)),
        ("deflate", zlib.compress(b"hello")),
    ],
)
async def test_a_body_is_read_without_its_encoding(encoding: str, body: bytes) -> None:
    assert await read(body[:3], body[3:], encoding=encoding) == b"hello"


async def test_an_empty_body_needs_no_encoding() -> None:
    assert await read(encoding="gzip") == b""


@loop_over(
    ("encoding", "body"),
    [
        pytest.param("gzip", gzip.compress(b"hello", mtime=0)[:-9], id="truncated"),
        pytest.param("gzip", b"hello", id="not-compressed"),
        pytest.param("br", b"hello", id="not-asked-for"),
        pytest.param("gzip, deflate", b"hello", id="twice"),
    ],
)
async def test_what_cannot_be_undone_is_unreadable(encoding: str, body: bytes) -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        await read(body, encoding=encoding)

    assert caught.value.is_outcome_unknown


async def test_a_body_of_just_the_bound_is_read() -> None:
    assert len(await read(*[b"x" * MIB] * 16)) == MAX_BODY_BYTES


async def test_a_larger_body_is_cut_while_it_comes() -> None:
    chunks = in_chunks(*[b"x" * MIB] * 100)

    with pytest.raises(ReplyTooLargeError) as caught:
        await read_body(chunks, "", is_write=True)

    assert caught.value.is_outcome_unknown
    assert len([chunk async for chunk in chunks]) == 100 - 17


async def test_a_compressed_bomb_takes_no_more_memory_than_the_bound() -> None:
    bomb = gzip.compress(bytes(100 * MIB), compresslevel=1)
    tracemalloc.start()

    with pytest.raises(ReplyTooLargeError):
        await read(bomb, encoding="gzip")

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * MAX_BODY_BYTES
