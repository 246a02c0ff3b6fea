"""Word a digest's nightly scans: what they did and cost, and why they stopped. Pure."""

from bot.digests.models import Digest, FailureReason
from bot.views.digests.wording import failure_text, remedy
from bot.views.text import day_text, plural


def night_lines(digest: Digest) -> list[str]:
    """Return a line of mrkdwn on the latest night, none for a digest without nightly scans."""
    wanted, night = digest.plan.scans_a_night, digest.night
    if not wanted:
        return []
    if night is None:
        return [f"🌙 Scans up to {plural(wanted, 'domain')} a night, the first time tonight"]
    done = night.begun - night.failed
    failed = f", {night.failed:,} failed" if night.failed else ""
    cost = plural(night.requests, "request")
    line = f"🌙 Night of {day_text(night.day)}: scanned {plural(done, 'domain')}{failed}, {cost}"
    return [f"{line}. {_reason(night.trouble)}".strip() if night.trouble else line]


def _reason(trouble: FailureReason) -> str:
    if trouble is FailureReason.RATE:
        return "Stopped: the other requests of the hour are for people and digests."
    return f"Stopped: {failure_text(trouble)}. {remedy(trouble)}"
