"""Who may do what: from an Authorization header to an account, or to one of the four errors."""

import re
from collections.abc import Sequence

from bot.playground.tracker.accounts import Account
from bot.playground.tracker.keys import KEY_PATTERN, KeyRecord
from bot.playground.tracker.refusals import documented_refusal
from bot.playground.tracker.service import Tracker

BEARER = re.compile(rf"Bearer ({KEY_PATTERN.pattern})")


def presented_key(authorization: Sequence[str]) -> str | None:
    """Return the key in the Authorization headers of a request.

    None when there is not exactly one header, or when it is not in the form of section 5.1.
    """
    if len(authorization) != 1:
        return None
    match = BEARER.fullmatch(authorization[0])
    return match and match.group(1)


def authorize(
    tracker: Tracker,
    holder: tuple[Account, KeyRecord] | None,
    caller_ip: str,
    scopes: str | tuple[str, ...],
) -> Account:
    """Return the account that a key opens, and count the request.

    A request that is refused for its key or its address uses nothing up; one that is refused for
    its scope does.

    Raises:
        RefusedError: one of the four errors of section 7 of the service document.
    """
    now = tracker.clock()
    if holder is None or holder[1].condition(now) != "valid":
        raise documented_refusal("invalid_key")
    account, record = holder
    if not record.allows_address(tracker.caller_ip or caller_ip):
        raise documented_refusal("ip")
    record.last_used_at = now
    if not record.count_request(now, tracker.hourly_limit):
        raise documented_refusal("rate_limit")
    if not record.grants((scopes,) if isinstance(scopes, str) else scopes):
        raise documented_refusal("permissions")
    return account
