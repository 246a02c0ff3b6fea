import gzip
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest

from bot.tracker.http import MAX_BODY_BYTES, read_body
from bot.tracker.models import UnreadableReplyError
from tests.loops import loop_over

MIB = 1024 * 1024


async def in_chunks(*chunks: bytes) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


async def read(*chunks: bytes, encoding: str = "") -> bytes:
    headers = {"Content-Encoding": encoding}
    return await read_body(
        httpx.Response(200, headers=headers, content=in_chunks(*chunks)), is_write=True
    )


# They are parts of the tests' names, which are the same in every process: hence `mtime`.
@loop_over(
    ("encoding", "body"),
    [
        ("", b"hello"),
        ("identity", b"hello"),
        ("gzip", gzip.compress(b"hello", mtime=0)),
        ("deflate", zlib.compress(b"hello")),
    ],
)
async def test_a_body_is_read_without_its_encoding(encoding: str, body: bytes) -> None:
    assert await read(body[:3], body[3:], encoding=encoding) == b"hello"


async def test_what_cannot_be_undone_is_unreadable() -> None:
    with pytest.raises(UnreadableReplyError) as caught:
        await read(b"hello", encoding="gzip")

    assert caught.value.is_outcome_unknown


async def test_a_reply_that_is_compressed_twice_is_not_unpacked() -> None:
    """3 kB of it are 2 GB."""
    twice = gzip.compress(gzip.compress(b"hello", mtime=0), mtime=0)

    with pytest.raises(UnreadableReplyError):
        await read(twice, encoding="gzip, gzip")


async def test_a_body_of_just_the_bound_is_read() -> None:
    assert len(await read(*[b"x" * MIB] * 16)) == MAX_BODY_BYTES
