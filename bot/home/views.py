"""Draw the Home tab: domains, digests, key, help. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nsmallest
from typing import Any

from bot.access.permissions import DEFAULT_AUDIENCES
from bot.access.views import names_text
from bot.blocks.builders import (
    actions,
    button,
    container,
    context,
    header,
    message_of,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.links import linked_name
from bot.blocks.message import Block, Message
from bot.blocks.text import (
    MAX_ACCESSIBLE_CHARS,
    average_text,
    host_text,
    literal,
    outside,
    plural,
)
from bot.digests.models import Digest
from bot.digests.views.wording import (
    called_mrkdwn,
    filter_mrkdwn,
    last_run_line,
    manage_button,
    mode_text,
    state_lines,
)
from bot.dispatch.commands import COMMANDS, Audience, Command
from bot.domains import views as domains
from bot.domains.end_views import coverage_text, soon_text
from bot.domains.kept_facts import KnownFacts
from bot.domains.service import Snapshot
from bot.scans.bulk_views import NEVER_SCANNED, scan_all_label
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.tracker.health import summary
from bot.tracker.models import Domain
from bot.tracker.scan_facts import SOON_DAYS

# With a button each, and in one line each.
MAX_MANAGED, MAX_LINES = 12, 100
_NONE = (
    "*No digests yet*\nA digest posts a health summary to a channel, on days and at a time you"
    " choose. To set one up, type `/domaindigest` in that channel."
)
REFRESH = "home.refresh"
_REFRESH_BUTTON = button("Refresh", REFRESH)
MAX_WORST = 5
MAX_SOON = 5
MAX_LABELS_CHARS = 60
DIVIDER: Block = {"type": "divider"}
_STRANGERS = "This app belongs to another workspace. Only its members can see its domains."


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """The content of the tab at `now`.

    `audience` is what the reader belongs to, `None` for people of another workspace. `portfolio`
    may be an error. `is_awaited`: a newer one is being fetched. For admins, owners and managers
    `key` is the answer to `/domainkey`, or an error, and `digests` are all of the workspace,
    `None` if unknown. Others see the `managers` (ids). `audiences`: who may add and scan.
    `reads_messages`: the operator wants command lines in messages.
    """

    now: datetime
    audience: Audience | None = Audience.MEMBERS
    portfolio: Snapshot | Message | None = None
    is_awaited: bool = False
    facts: KnownFacts | None = None
    owned_type: str = ""
    is_connected: bool = True
    key: Message | None = None
    digests: Sequence[Digest] | None = None
    zone: str | None = None
    reads_messages: bool = False
    managers: Sequence[str] = ()
    audiences: Mapping[str, Audience] = field(default_factory=lambda: DEFAULT_AUDIENCES)

    @property
    def commands(self) -> list[Command]:
        """The commands that the reader may use."""
        return [
            command
            for command in COMMANDS.values()
            if self.audiences.get(command.operation or "", command.audience)
            <= (self.audience or 0)
        ]

    def run_button(self, label: str, command_line: str, **more: Any) -> Block | None:
        """Return a button that runs a command line, `None` if the reader may not use that."""
        is_allowed = COMMANDS[command_line.partition(" ")[0]] in self.commands
        return run_button(label, command_line, **more) if is_allowed else None


def home_view(page: HomePage) -> Message:
    """Return the blocks of the tab for its reader, and their fallback."""
    if page.audience is None:
        return plain_message(_STRANGERS)
    listed = [header("Your domains"), *_portfolio_blocks(page)]
    help_blocks = [DIVIDER, *_help_blocks(page)]
    if page.key is None:
        return message_of(*listed, *help_blocks)
    if page.digests is not None and not page.is_connected:
        listed = []  # the set-up part has the button to set a key
    set_up = _set_up_blocks(page, page.key)
    return message_of(*listed, *set_up, *help_blocks, _permissions_block(page))


def _set_up_blocks(page: HomePage, key: Message) -> list[Block]:
    top = [
        *([DIVIDER] if page.is_connected else []),
        header("Setup"),
        context("🔒 Only admins, owners, and appointed managers see this part."),
    ]
    if page.digests is None:
        return [*top, *refreshable(key)]
    blocks = [*top, *key.blocks]
    if page.is_connected or page.digests:
        blocks += [DIVIDER, *_digests_blocks(page.digests, page.now, page.zone)]
    return blocks


def _digests_blocks(digests: Sequence[Digest], now: datetime, zone: str | None) -> list[Block]:
    """Return the digests, the most urgent first, in the reader's `zone`; many in a line each."""
    if not digests:
        return [section(_NONE)]
    ordered = sorted(digests, key=_urgency)
    blocks = [section(f"*{plural(len(digests), 'digest')}*")]
    for digest in ordered[:MAX_MANAGED]:
        blocks += _digest_blocks(digest, now, zone)
    others = ordered[MAX_MANAGED:]
    lines = [
        f"• {_title_of(each)}: {state_lines(each, now, zone)[0]}" for each in others[:MAX_LINES]
    ]
    lines += [f"• and {left_out:,} more"] if (left_out := len(others) - len(lines)) else []
    return [*blocks, *paragraphs(lines)]


def _title_of(digest: Digest) -> str:
    # Slack shows the name of a private channel to its members only.
    where = "" if digest.plan.is_own else f"<#{digest.plan.channel_id}>  ·  "
    return f"{where}{called_mrkdwn(digest.plan)}"


def _digest_blocks(digest: Digest, now: datetime, zone: str | None) -> list[Block]:
    text = "\n".join([_title_of(digest), *state_lines(digest, now, zone)])
    shown = filter_mrkdwn(digest.plan.filter_text)
    details = f"Filter: {shown}  ·  Post: {mode_text(digest.plan)}\n{last_run_line(digest)}"
    return [section(text, manage_button(digest)), context(details)]


def _urgency(digest: Digest) -> tuple[int, datetime]:
    """Sort digests that the bot paused first, then waiting ones, then by next run."""
    if digest.pause:
        return (0 if digest.pause.why else 3, digest.next.due_at)
    waits = digest.run is not None and digest.run.trouble is not None
    return (1 if waits else 2, digest.next.due_at)


def _portfolio_blocks(page: HomePage) -> list[Block]:
    portfolio = page.portfolio
    is_listed = isinstance(portfolio, Snapshot) and bool(portfolio.domains)
    if portfolio is None or (page.is_awaited and not is_listed):
        return [section("⏳ Loading your domains…"), *_buttons(page)]
    if isinstance(portfolio, Message):
        return refreshable(portfolio)
    if not portfolio.domains:
        add = page.run_button("Add domain", "/adddomain", style="primary")
        return [section(domains.NO_DOMAINS), *actions(add, _REFRESH_BUTTON)]
    totals = summary(domain.health_score for domain in portfolio.domains)
    count = f"*{plural(totals.count, 'domain')}, {average_text(totals.average, 'average health')}*"
    waiting = "\n⏳ Updating…" if page.is_awaited else ""
    return [
        section(f"{count}\n{domains.bands_text(totals)}"),
        *_buttons(page),
        *_worst(portfolio, page),
        *(_soon(portfolio, page.facts, page) if page.facts else []),
        context(domains.listed_text(portfolio) + waiting),
    ]


def refreshable(error: Message) -> list[Block]:
    """Return an error with its buttons and a refresh button."""
    *blocks, last = error.blocks or (section(error.text),)
    if last["type"] == "actions":
        return [*blocks, *actions(*last["elements"], _REFRESH_BUTTON)]
    return [*blocks, last, *actions(_REFRESH_BUTTON)]


def _buttons(page: HomePage) -> list[Block]:
    return actions(
        page.run_button("Scan", "/scan", style="primary"),
        page.run_button("Add domain", "/adddomain"),
        page.run_button("All domains", "/domains"),
        _REFRESH_BUTTON,
    )


def _worst(portfolio: Snapshot, page: HomePage) -> list[Block]:
    known = [domain for domain in portfolio.domains if domain.health_score is not None]
    worst = nsmallest(MAX_WORST, known, key=lambda domain: domain.health_score or 0)
    if not worst:
        return [section("No domain has a score yet. A scan can add one.")]
    return [section("*Worst first*"), *(_domain_block(page, *each) for each in enumerate(worst))]


def _soon(portfolio: Snapshot, known: KnownFacts, page: HomePage) -> list[Block]:
    soon = known.soon(portfolio.by_host)
    blocks = [section("*Expires soon*")] if soon else []
    most = MAX_SOON + (len(soon) == MAX_SOON + 1)  # `and 1 more` would take its line
    for number, ending in enumerate(soon[:most], MAX_WORST):
        domain = portfolio.by_host[ending.host]
        text = soon_text(ending, known.now, is_owned=domain.may_be(page.owned_type))
        name = linked_name(domain.domain, domain.domain_id)
        blocks.append(section(f"{name}\n{text}", _scan(page, domain, number)))
    notes, rest = [], None
    if (left_out := len(soon) - most) > 0:
        notes.append(f"and {left_out:,} more: `/domains expires:{SOON_DAYS}`.")
    coverage = known.coverage(portfolio.by_host)
    notes += filter(None, [coverage_text(coverage)])
    if coverage.scanned < coverage.domains:
        label = "Scan the rest" if coverage.scanned else scan_all_label(coverage.domains)
        rest = page.run_button(label, f"/scan {NEVER_SCANNED}")
    return [*blocks, *([context("\n".join(notes))] if notes else []), *actions(rest)]


def _domain_block(page: HomePage, number: int, domain: Domain) -> Block:
    labels = [f"📁 {literal(domain.folder, MAX_LABELS_CHARS)}"] if domain.folder else []
    labels += [f"🏷️ {literal(', '.join(domain.tags), MAX_LABELS_CHARS)}"] if domain.tags else []
    more = f"\n{'  '.join(labels)}" if labels else ""
    name = linked_name(domain.domain, domain.domain_id)
    text = f"{domains.score_mrkdwn(domain.health_score)}  {name}{more}"
    return section(text, _scan(page, domain, number))


def _scan(page: HomePage, domain: Domain, number: int) -> Block | None:
    label = outside(f"Scan {host_text(domain.domain)}", MAX_ACCESSIBLE_CHARS)
    line = f"/scan {domain.domain}"
    return page.run_button("Scan", line, number=number, accessibility_label=label)


def _help_blocks(page: HomePage) -> list[Block]:
    lines = [f"`{command.name}` – {command.brief}" for command in page.commands]
    blocks = [section("\n".join(["*Commands*", *lines]))]
    hint = "Type them in any channel. Add `help` to any command."
    is_asked_already = not page.is_connected and not page.managers
    if page.key is None and page.audience is Audience.MEMBERS and not is_asked_already:
        named = f", or {names_text(page.managers)}" if page.managers else ""
        hint += f"\nThe API key and its settings: ask an admin or owner of this workspace{named}."
    return [*blocks, context(hint)]


def _permissions_block(page: HomePage) -> Block:
    asked = NEEDED_SCOPES | OPTIONAL_SCOPES | (MENTION_SCOPES if page.reads_messages else {})
    reasons = section("\n".join(f"`{scope}`: {why}" for scope, why in asked.items()))
    count = plural(len(asked), "permission")
    return container("Why the app needs each permission", count, [reasons])
