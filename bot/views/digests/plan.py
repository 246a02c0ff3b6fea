"""What people decided about a digest, in words. Pure."""

import re
from datetime import datetime

from bot.digests.digest import Digest, Mode, Plan
from bot.digests.schedule import zone_of
from bot.message import Block
from bot.views.blocks import button
from bot.views.schedule import schedule_text
from bot.views.text import code, day_text, outside, plural
from bot.words import unescaped

MANAGE_DIGEST = "digest.manage"
MAX_FILTER_CHARS = 100
MAX_PERSON_CHARS = 40
MAX_RULES_SHOWN = 5

# As the form has them: its field is called `Post`.
MODE_NAMES = {
    Mode.ALWAYS: "Always",
    Mode.CHANGES: "When something changed",
    Mode.WORSE: "When something got worse",
}


def plan_lines(plan: Plan) -> list[tuple[str, str]]:
    """Return label and mrkdwn of everything that was decided; it mentions nobody."""
    lines = [
        ("When", schedule_text(plan.schedule)),
        ("Filter", filter_shown(plan.filter_text)),
        ("Post", mode_text(plan)),
        ("Worst domains shown", f"{plan.worst_count}"),
    ]
    if plan.mentions:
        lines.append(("Mentioned when it gets worse", _rules_shown(plan)))
    return lines


def mode_text(plan: Plan) -> str:
    """Return `When something changed; after 5 silent runs a sign of life`."""
    if plan.mode is Mode.ALWAYS or plan.heartbeat_every is None:
        return MODE_NAMES[plan.mode]
    silent = plural(plan.heartbeat_every, "silent run")
    return f"{MODE_NAMES[plan.mode]}; after {silent} a sign of life"


def filter_shown(filter_text: str) -> str:
    """Return mrkdwn of a filter as people type it: `tag:prod` as code, or all domains."""
    shown = unescaped(filter_text).strip()
    return code(shown, MAX_FILTER_CHARS) if shown else "all domains"


def person_shown(name: str | None) -> str:
    """Return mrkdwn of somebody's name, which mentions nobody."""
    return code(name, MAX_PERSON_CHARS) if name and outside(name, 1) else "somebody"


def local_text(moment: datetime, zone: str) -> str:
    """Return `Mon 23 Nov 2026, 09:00`, as the wall clock in `zone` shows the moment."""
    local = moment.astimezone(zone_of(zone))
    return f"{local:%a} {day_text(local.date())}, {local:%H:%M}"


def digest_address(digest: Digest) -> str:
    """Return what the buttons of a digest carry: `C0123/d4`, its channel and its id."""
    return f"{digest.plan.channel_id}/{digest.digest_id}"


def manage_button(digest: Digest) -> Block | None:
    """Return the button that opens the digests of the channel."""
    return button("Manage", MANAGE_DIGEST, digest_address(digest))


def spoken(mrkdwn: str) -> str:
    """Return finished mrkdwn as it is read aloud: no marks, and of a date only its fallback."""
    return re.sub(r"<!date[^|>]*\|([^>]*)>", r"\1", mrkdwn).replace("`", "").replace("*", "")


def _rules_shown(plan: Plan) -> str:
    rules = [
        f"{plural(len(rule.who), 'owner')} of {code(rule.label, 60)}"
        for rule in plan.mentions[:MAX_RULES_SHOWN]
    ]
    left_out = len(plan.mentions) - len(rules)
    return ", ".join(rules) + (f" and {plural(left_out, 'more label')}" if left_out else "")
