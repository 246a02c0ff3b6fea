"""Draw an alert: what got worse just now, who takes it, and for how long it is snoozed. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bot.blocks.builders import (
    actions,
    button,
    context,
    header,
    message_of,
    paragraphs,
    plain_message,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import moment_token, plural
from bot.digests.models import Alert
from bot.digests.report import Move, Post, Report, fallen, owners_to_mention, worse_moves
from bot.digests.views.changes import changed_line, issues_line, move_text, with_news
from bot.digests.views.notes import late_line, preview_note
from bot.digests.views.wording import (
    domain_line,
    manage_button,
    mention_tokens,
    owners_line,
    person,
    scan_button,
)
from bot.domains.end_views import coverage_text, soon_text
from bot.domains.lookup import host_of
from bot.domains.views import score_mrkdwn

TAKE, SNOOZE = "alert.take", "alert.snooze"
# The beginning of the ids of the blocks that a press redraws.
REDRAWN = "alert."
MAX_LISTED = 10
SNOOZE_DAYS = 7


def alert_message(post: Post, name: str) -> Message:
    """Return the post about what got worse; `name` comes back with its buttons."""
    report, plan = post.report, post.digest.plan
    lines = [
        *_taken(report),
        *map(_fall, worse_moves(report)),
        *_poor(report),
        *_nearer(post),
        *_grave(report),
    ]
    hosts, left_out = fallen(report), len(lines) - MAX_LISTED
    owners = owners_line(owners_to_mention(report, plan.mentions))
    scan = scan_button("Scan", hosts[0]) if len(hosts) == 1 else None
    blocks = (
        header(_title(report, hosts)),
        *([context(late)] if (late := late_line(post)) else []),
        *([section(f"🔔 {owners}")] if owners else []),
        *paragraphs(lines[:MAX_LISTED]),
        *([context(f"and {left_out:,} more")] if left_out > 0 else []),
        *([context(known)] if (known := coverage_text(report.coverage)) else []),
        *_named(_buttons(name, None, manage_button(post.digest), scan)),
    )
    return with_news(message_of(*blocks), report, post.sent_at)


def alert_preview(post: Post) -> Message:
    """Return what an alert would look like now, without buttons, or that nothing is worse."""
    owners = owners_to_mention(post.report, post.digest.plan.mentions)
    note = preview_note(len(mention_tokens(owners)))
    if not fallen(post.report):
        return plain_message(f"{note} Nothing got worse since the last look.")
    plan = replace(post.digest.plan, mentions=())
    message = alert_message(replace(post, digest=replace(post.digest, plan=plan)), "")
    shown = (block for block in message.blocks if block["type"] != "actions")
    return message_of(section(note), *shown)


def redrawn(message: Mapping[str, Any], name: str, alert: Alert) -> Message:
    """Return a posted alert, as Slack sends it with a press, with its present state."""
    blocks = [block for block in message.get("blocks") or [] if not _is_redrawn(block)]
    others = [
        element
        for block in message.get("blocks") or []
        if _is_redrawn(block) and block["type"] == "actions"
        for element in block["elements"]
        if element.get("action_id") not in {TAKE, SNOOZE}
    ]
    states = [context(line) for line in state_lines(alert)]
    buttons = _buttons(name, alert, *others)
    return Message(str(message.get("text") or ""), (*blocks, *_named([*states, *buttons])))


def state_lines(alert: Alert) -> list[str]:
    """Return who took an alert, and until when it is snoozed, as mrkdwn."""
    lines = [f"👋 {person(alert.taken_by)} takes it."] if alert.taken_by else []
    if alert.snoozed_until:
        until = moment_token(alert.snoozed_until)
        lines.append(f"😴 {person(alert.snoozed_by)} snoozed these domains until {until}.")
    return lines


def taken_already_text(alert: Alert) -> str:
    """Return the answer to a second person who presses `Take it`."""
    return f"{person(alert.taken_by)} has taken this already."


def snoozed_already_text(alert: Alert) -> str:
    """Return the answer to a second press of `Snooze`."""
    until = f" until {moment_token(alert.snoozed_until)}" if alert.snoozed_until else ""
    return f"{person(alert.snoozed_by)} has snoozed this already{until}."


def _buttons(name: str, alert: Alert | None, *others: Block | None) -> list[Block]:
    is_taken, is_snoozed = bool(alert and alert.taken_by), bool(alert and alert.snoozed_until)
    return actions(
        None if is_taken else button("Take it", TAKE, name, style="primary"),
        None if is_snoozed else button(f"Snooze {SNOOZE_DAYS} days", SNOOZE, name),
        *others,
    )


def _named(blocks: Sequence[Block]) -> list[Block]:
    return [{**block, "block_id": f"{REDRAWN}{at}"} for at, block in enumerate(blocks)]


def _is_redrawn(block: Mapping[str, Any]) -> bool:
    return str(block.get("block_id", "")).startswith(REDRAWN)


def _fall(move: Move) -> str:
    return f"📉 {domain_line(move.domain.domain, f'health {move_text(move)}')}"


def _poor(report: Report) -> Iterator[str]:
    for move in report.poor_first:
        shown = score_mrkdwn(move.domain.health_score)
        yield f"📉 {domain_line(move.domain.domain, f'first score {shown}')}"


def _title(report: Report, hosts: Sequence[str]) -> str:
    """Return `2 domains changed, 3 got worse`; one with a possible hijack has changed."""
    changed = {host_of(domain) for domain in report.taken}
    worse = sum(host not in changed for host in hosts)
    if not changed:
        return f"{plural(worse, 'domain')} got worse"
    return f"{plural(len(changed), 'domain')} changed" + (
        f", {worse:,} got worse" if worse else ""
    )


def _taken(report: Report) -> Iterator[str]:
    taken = {domain.domain for domain in report.taken}
    for domain, _, change in report.changed:
        if domain.domain in taken:
            yield f"🔀 {changed_line(domain, change)}"


def _grave(report: Report) -> Iterator[str]:
    for domain in dict.fromkeys(report.grave):
        issues = [issue for each, _, issue in report.issues if each is domain]
        yield f"🚨 {issues_line(domain.domain, issues)}"


def _nearer(post: Post) -> Iterator[str]:
    report, rows = post.report, {domain.domain: row for domain, row in post.report.soon}
    for domain in report.nearer:
        row = rows[domain.domain]
        text = soon_text(row, post.sent_at, is_owned=report.is_owned(domain))
        yield f"⏳ {domain_line(domain.domain, text)}"
