"""Word the plan and the state of a digest: owner, next run, pause, last runs. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.command_text import unescaped
from bot.digests.models import (
    Digest,
    FailureReason,
    Mode,
    Outcome,
    PastRun,
    Pause,
    Plan,
    Run,
    RunState,
)
from bot.digests.run_state import resumed_in_time
from bot.digests.schedule import UnknownZoneError, zone_of
from bot.message import Block
from bot.views.blocks import button
from bot.views.schedule import schedule_text, zoned_slot_text
from bot.views.text import (
    code,
    day_text,
    escaped,
    host_shown,
    moment_text,
    moment_token,
    outside,
    plural,
)

MAX_MENTIONED = 40
# https://docs.slack.dev/messaging/formatting-message-text#advanced
_PERSON = re.compile(r"[UW][A-Z0-9]{2,20}")
_GROUP = re.compile(r"S[A-Z0-9]{2,20}")


def mention_tokens(ids: Sequence[str]) -> list[str]:
    """Return mrkdwn that mentions each person and user group; what is no such id is left out."""
    return [token for each in ids if (token := _token(each))]


def owners_line(ids: Sequence[str]) -> str:
    """Return the line that calls the owners of what got worse, or nothing when there are none."""
    tokens = mention_tokens(ids)
    if not tokens:
        return ""
    left_out = len(tokens) - MAX_MENTIONED
    more = f" and {plural(left_out, 'more owner')}" if left_out > 0 else ""
    return f"{' '.join(tokens[:MAX_MENTIONED])}{more}: domains that you look after got worse."


def _token(slack_id: str) -> str:
    if _PERSON.fullmatch(slack_id):
        return f"<@{slack_id}>"
    return f"<!subteam^{slack_id}>" if _GROUP.fullmatch(slack_id) else ""


MAX_HOST_CHARS = 80
MAX_GROUP_CHARS = 450
"""Only names that are not any host's are ever so long; the first is always told."""


@dataclass(frozen=True, slots=True)
class Told:
    """A domain and what is said of it, to eyes (mrkdwn) and to ears."""

    host: str
    shown: str
    spoken: str

    @property
    def as_shown(self) -> str:
        """The domain in a block."""
        return f"{code(host_shown(self.host), MAX_HOST_CHARS)} {self.shown}".strip()

    @property
    def as_spoken(self) -> str:
        """The domain in a message's text."""
        return f"{escaped(host_shown(self.host), MAX_HOST_CHARS)} {self.spoken}".strip()


@dataclass(frozen=True, slots=True)
class Group:
    """Domains of which the same is to be told: `count` of them, the first few in `told`."""

    symbol: str
    title: str
    more: str
    count: int
    told: tuple[Told, ...]
    is_listed: bool = False  # a line for each

    @property
    def as_shown(self) -> str:
        """The group in a block."""
        parts = _fitting([each.as_shown for each in self.told])
        left_out = self.count - len(parts)
        heading = f"{self.symbol} *{self.title}*{self.more}"
        if self.is_listed:
            lines = [heading, *(f"• {part}" for part in parts)]
            return "\n".join([*lines, *([f"• and {left_out:,} more"] if left_out else [])])
        return f"{heading}: {', '.join(parts)}{f' and {left_out:,} more' if left_out else ''}"

    @property
    def as_spoken(self) -> str:
        """The group as a sentence of a message's text."""
        parts = _fitting([each.as_spoken for each in self.told])
        left_out = self.count - len(parts)
        more = f"; and {left_out:,} more" if left_out else ""
        return f"{self.title}{self.more}: {'; '.join(parts)}{more}."


def _fitting(parts: Sequence[str]) -> list[str]:
    """The first of `parts`, at least one, that are no longer than a group may be."""
    fitting, chars = list(parts[:1]), len(parts[0]) if parts else 0
    for part in parts[1:]:
        chars += len(part)
        if chars > MAX_GROUP_CHARS:
            break
        fitting.append(part)
    return fitting


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


INVITE = "`/invite @Domain Tracker`"
# What happened, as the end of a sentence, and how to mend it. `{channel}` is the channel,
# `{change}` the button that leads to the form in which another one is chosen.
_TROUBLES: dict[FailureReason, tuple[str, str]] = {
    FailureReason.SERVICE: ("Domain Tracker did not answer", "That usually passes by itself."),
    FailureReason.RATE: (
        "the hour's requests to Domain Tracker were used up",
        "They come back within an hour.",
    ),
    FailureReason.SCOPE: (
        "the workspace's API key may not list domains",
        "An admin can enter a key with the scope `read_domains`: `/domainkey`.",
    ),
    FailureReason.ADDRESS: (
        "Domain Tracker does not take calls from the bot's address",
        "An admin can allow that address in the API key's IP restrictions.",
    ),
    FailureReason.KEY: (
        "the workspace has no API key that works",
        "An admin can set one with `/domainkey`.",
    ),
    FailureReason.SLACK: ("Slack did not take the post", "That usually passes by itself."),
    # Who is archived with a channel does not come back with it: see `LocalSlack.archive`.
    FailureReason.ARCHIVED: (
        "the channel is archived",
        "Unarchive {channel} and invite me again: type "
        + INVITE
        + " in it. Or choose another channel with {change}.",
    ),
    FailureReason.NOT_IN_CHANNEL: (
        "the bot is not in the channel",
        "Go to {channel} and type " + INVITE + " in it, or choose another channel with {change}.",
    ),
    FailureReason.NOT_FOUND: (
        "the channel is gone, or private and without the bot",
        "If it is still there, type "
        + INVITE
        + " in it. If not, choose another channel with {change}.",
    ),
    FailureReason.RESTRICTED: (
        "the settings of the channel or of the organization do not let the bot post",
        "Ask whoever manages {channel} to let apps post, or choose another with {change}.",
    ),
    FailureReason.UNINSTALLED: (
        "Slack does not let the bot into this workspace any more",
        "An admin can install Domain Tracker again.",
    ),
    FailureReason.PERMISSION: (
        "the app lacks a permission in this workspace",
        "An admin can install Domain Tracker again, which asks for it.",
    ),
    FailureReason.CHANGED: ("it was changed or paused at that moment", ""),
    FailureReason.ZONE: ("its time zone is no longer known", "Choose another one with {change}."),
    FailureReason.INTERNAL: (
        "the bot made a mistake",
        "Please tell whoever runs the bot: its log says more.",
    ),
    FailureReason.DOWN: ("the bot was not running", ""),
}


def trouble_words(trouble: FailureReason) -> str:
    """Return why a run failed, as the end of a sentence: `Domain Tracker did not answer`."""
    return _TROUBLES[trouble][0]


def uncertain_words(trouble: FailureReason | None) -> str:
    """Return why nobody knows whether a run was posted, as the end of a sentence."""
    if trouble is FailureReason.DOWN:
        return "the bot was stopped while it posted it"
    return "Slack did not say whether it took it"


def remedy(trouble: FailureReason | None, *, channel: str = "it", change: str = "`Change`") -> str:
    """Return what helps as sentences of mrkdwn, or nothing; `channel` is finished mrkdwn."""
    return _TROUBLES[trouble][1].format(channel=channel, change=change) if trouble else ""


MAX_MISSES_SHOWN = 3
RUNS_LOOKED_BACK = 14
_MISSES = {Outcome.MISSED, Outcome.FAILED, Outcome.UNCERTAIN}


def state_lines(digest: Digest, now: datetime, reader_zone: str | None) -> list[str]:
    """Return lines of finished mrkdwn: the state, and the next run where there will be one."""
    if digest.pause:
        paused = _paused_line(digest.pause, digest.plan.schedule.zone)
        coming = run_after_pause(digest, reader_zone)
        return [paused, *([f"Next run {coming}"] if coming else [])]
    run, coming = digest.run, next_run_text(digest, reader_zone)
    if run is None:
        return [f"▶️ *Active*, next run {coming}"]
    if run.state is RunState.WAITING:
        return [_waiting_line(run), f"Next run {coming}"]
    is_due = now >= run.until  # whoever had it is gone: it is taken up again
    return [f"📤 *{'Due now' if is_due else 'Being sent just now'}*, next run {coming}"]


def run_lines(digest: Digest) -> list[str]:
    """Return lines of finished mrkdwn: how the last run ended, and which were missed before."""
    if not digest.past:
        return ["Has not run yet"]
    last = digest.past[-1]
    line = f"Last run {moment_token(last.slot.due_at)}: {_ending(last)}"
    earlier = digest.past[-RUNS_LOOKED_BACK:-1]
    misses = [run for run in reversed(earlier) if run.outcome in _MISSES]
    if not misses:
        return [line]
    shown = [
        f"{moment_token(run.slot.due_at)} {_missed(run)}" for run in misses[:MAX_MISSES_SHOWN]
    ]
    left_out = len(misses) - len(shown)
    more = f"; and {left_out:,} more" if left_out else ""
    return [line, f"⚠️ Before that: {'; '.join(shown)}{more}"]


def next_run_text(digest: Digest, reader_zone: str | None) -> str:
    """Return when the next run is, also by the reader's clock where they live elsewhere."""
    zone = digest.plan.schedule.zone
    own = "" if reader_zone in {None, zone} else f", for you {moment_token(digest.next.due_at)}"
    return f"{zoned_slot_text(digest.next, zone)}{own}"


def run_after_pause(digest: Digest, reader_zone: str | None) -> str | None:
    """Return the same of the first run after a pause, `None` where nobody knows when it ends."""
    if digest.pause is None or digest.pause.until is None:
        return None
    try:
        return next_run_text(resumed_in_time(digest, digest.pause.until), reader_zone)
    except UnknownZoneError:
        return None


def person(user_id: str | None) -> str:
    """Return mrkdwn that shows somebody by name in a form, where it tells nobody."""
    return next(iter(mention_tokens([user_id or ""])), "somebody")


def until_text(until: datetime, zone: str) -> str:
    """Return the day on which a pause ends, as the wall clock in `zone` has it."""
    try:
        return day_text(until.astimezone(zone_of(zone)).date())
    except UnknownZoneError:
        return moment_text(until)


def _waiting_line(run: Run) -> str:
    trouble = run.trouble or FailureReason.SERVICE
    again = f"next try {moment_token(run.until)}"
    return f"🕓 *Waiting*: {trouble_words(trouble)}; {again}. {remedy(trouble)}".strip()


def _paused_line(pause: Pause, zone: str) -> str:
    if pause.why:
        told = f"⏸️ *Paused*: {trouble_words(pause.why)}. {remedy(pause.why)}".strip()
        return f"{told} Then press `Resume`."
    end = f"until {until_text(pause.until, zone)}" if pause.until else "until somebody resumes it"
    return f"⏸️ *Paused* by {person(pause.by)}, {end}"


def _ending(run: PastRun) -> str:
    why = f", as {trouble_words(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.POSTED:
            return f"sent by {person(run.asked_by)}" if run.asked_by else "posted"
        case Outcome.QUIET:
            return "nothing to post"
        case Outcome.MISSED:
            return f"⚠️ missed{why}"
        case Outcome.FAILED:
            return f"⚠️ not posted{why}"
        case Outcome.UNCERTAIN:
            return f"❓ maybe posted: {uncertain_words(run.trouble)}"


def _missed(run: PastRun) -> str:
    if run.outcome is Outcome.UNCERTAIN:
        return "maybe posted"
    return "missed" if run.outcome is Outcome.MISSED else "not posted"
