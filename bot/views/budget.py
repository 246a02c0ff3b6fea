"""How many requests are left, what is kept back, and who used the rest. Pure.

When the allowance is renewed is never said: the service does not tell.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from bot.allowance import Allowance
from bot.asking import OTHER, Asker, Kind
from bot.meter import WINDOW_S, Usage
from bot.tracker.budget import BudgetState
from bot.views.text import moment_text, moment_token

NAMED_ASKERS = 5


def budget_lines(allowance: Allowance | None, now: datetime) -> list[str]:
    """Return two to four lines of mrkdwn; `None`: there is no key, or none that can be read.

    They may be read much later than `now`, as on Home: therefore they name moments, and no ages.
    """
    if allowance is None:
        return [left_text(None, now)]
    return [
        _left_text(allowance.budget, now, moment_token),
        *_restraints(allowance.budget, now),
        _usage_text(allowance.usage, now),
    ]


def left_text(budget: BudgetState | None, now: datetime) -> str:
    """Return `1,234 of the hour's requests left as of 3 Feb 2027, 14:05 UTC.`, without markup."""
    return _left_text(budget, now, moment_text)


def _left_text(budget: BudgetState | None, now: datetime, shown: Callable[[datetime], str]) -> str:
    if budget is None or budget.remaining is None:
        return "How many of the hour's requests are left is not known yet."
    told_at = now - timedelta(seconds=budget.told_ago_s or 0)
    return f"{budget.remaining:,} of the hour's requests left as of {shown(told_at)}."


def _restraints(budget: BudgetState, now: datetime) -> Iterator[str]:
    if budget.is_reserve_reached:
        yield f"⚠️ The last {budget.reserve:,} are kept for digests: people have to wait."
    elif budget.reserve:
        yield f"The last {budget.reserve:,} are kept for digests."
    if budget.wait_s is not None:
        until = moment_token(_minute_after(now + timedelta(seconds=budget.wait_s)))
        yield f"⏸️ Nothing is sent until {until}: Domain Tracker has refused for want of requests."


def _usage_text(usage: Usage, now: datetime) -> str:
    during = "in the last hour"
    if usage.span_s < WINDOW_S:
        started_at = now - timedelta(seconds=usage.span_s)
        during = f"since {moment_token(started_at)}"
    if not usage.shares:
        return f"I have asked for nothing {during}."
    known = [each for each in usage.shares if each[0] != OTHER][:NAMED_ASKERS]
    named = [f"{_asker_text(asker)} {requests:,}" for asker, requests in known]
    if rest := usage.total - sum(requests for _, requests in known):
        named.append(f"others {rest:,}")
    return f"Used {during}: {', '.join(named)}."


def _asker_text(asker: Asker) -> str:
    match asker.kind:
        case Kind.PERSON:
            return f"<@{asker.subject_id}>"
        case Kind.DIGEST:
            return f"digests of <#{asker.subject_id}>"
        case Kind.CHECK:
            return "checks of the key"
        case Kind.OTHER:
            return "others"


def _minute_after(moment: datetime) -> datetime:
    """What is shown to the minute must not be over too early."""
    rest = timedelta(seconds=moment.second, microseconds=moment.microsecond)
    return moment - rest + timedelta(minutes=1) if rest else moment
