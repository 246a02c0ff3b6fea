"""Read a reply's body, up to a bound that no content encoding can get around."""

import zlib
from collections.abc import AsyncIterator

from bot.tracker.errors import ReplyTooLargeError, UnreadableReplyError

MAX_BODY_BYTES = 16 * 1024 * 1024
# Take a gzip or a zlib header, whichever comes: https://docs.python.org/3/library/zlib.html
ANY_HEADER = 32 + zlib.MAX_WBITS
COMPRESSED = {"gzip", "x-gzip", "deflate"}


async def read_body(chunks: AsyncIterator[bytes], encoding: str, *, is_write: bool) -> bytes:
    """Return the bytes of a body, without the content `encoding` that we ask not to be used.

    httpx would undo it as well, but what 64 KiB of it become can be 64 MiB before one may count.

    Raises:
        ReplyTooLargeError: it holds more than `MAX_BODY_BYTES`.
        UnreadableReplyError: it is encoded in a way that cannot be undone.
    """
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        _refuse_above_bound(len(body), is_write=is_write)
    encodings = {name.strip() for name in encoding.lower().split(",")} - {"", "identity"}
    if not encodings or not body:
        return bytes(body)
    if len(encodings) > 1 or not encodings <= COMPRESSED:
        raise UnreadableReplyError("unknown content encoding", is_outcome_unknown=is_write)
    return _inflated(body, is_write=is_write)


def _inflated(body: bytearray, *, is_write: bool) -> bytes:
    inflater = zlib.decompressobj(ANY_HEADER)
    try:
        plain = inflater.decompress(body, MAX_BODY_BYTES + 1)
    except zlib.error as error:
        raise UnreadableReplyError("broken compression", is_outcome_unknown=is_write) from error
    _refuse_above_bound(len(plain), is_write=is_write)
    if not inflater.eof:
        raise UnreadableReplyError("truncated compression", is_outcome_unknown=is_write)
    return plain


def _refuse_above_bound(size: int, *, is_write: bool) -> None:
    if size > MAX_BODY_BYTES:
        raise ReplyTooLargeError(
            f"the body is above {MAX_BODY_BYTES} bytes", is_outcome_unknown=is_write
        )
