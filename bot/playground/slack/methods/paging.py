"""Lists in pages: https://docs.slack.dev/apis/web-api/pagination."""

import base64
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, TypeVar

from bot.playground.slack.methods.call import ApiCall
from bot.playground.slack.refusals import Refusal

Json = dict[str, Any]
T = TypeVar("T")

MAX_LIMIT = 999  # "under 1000": https://docs.slack.dev/reference/methods/conversations.members
_CURSOR = "from:"


def one_page(
    call: ApiCall, things: Mapping[str, T], default_limit: int | None
) -> tuple[list[T], Json]:
    """Return one page of things by id, and the `response_metadata` that leads to the next.

    A cursor holds the id of the first thing to come, so that it leads on where others join or
    leave meanwhile. Whoever names no limit gets `default_limit`; None: everything.

    Raises: Refusal, of a limit or a cursor that is none.
    """
    ids = sorted(things)
    start, limit = bisect_left(ids, _decoded(call.get("cursor"))), _limit(call)
    end = start + (limit or default_limit or len(ids))
    rest = ids[end:]
    following = base64.b64encode(f"{_CURSOR}{rest[0]}".encode()).decode() if rest else ""
    return [things[each] for each in ids[start:end]], {"next_cursor": following}


def _limit(call: ApiCall) -> int | None:
    try:
        limit = int(call.get("limit") or 0)
    except (TypeError, ValueError) as error:
        raise Refusal("invalid_limit") from error
    if not 0 <= limit <= MAX_LIMIT:
        raise Refusal("invalid_limit")
    return limit or None


def _decoded(cursor: object) -> str:
    """Return the id that a cursor begins with; empty for the first page. Raises: Refusal."""
    if not cursor:
        return ""
    try:
        text = base64.b64decode(str(cursor), validate=True).decode()
    except ValueError as error:
        raise Refusal("invalid_cursor") from error
    if not text.startswith(_CURSOR):
        raise Refusal("invalid_cursor")
    return text.removeprefix(_CURSOR)
