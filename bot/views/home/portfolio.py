"""How the domains are doing, on the Home tab. Pure."""

from heapq import nsmallest

from bot.health import Summary, summary
from bot.message import Block, Message
from bot.portfolio.snapshot import Snapshot
from bot.tracker.models import Domain
from bot.views.blocks import actions, button, context, header, run_button, section
from bot.views.health import bands_text, score_text
from bot.views.text import code, host_shown, moment_token, outside, plural, score_number

REFRESH = "home.refresh"
MAX_WORST = 5
MAX_LABELS_CHARS = 60
# https://docs.slack.dev/reference/block-kit/block-elements/button-element
MAX_ACCESSIBLE_CHARS = 75

_TITLE = "Your domains"


def portfolio_blocks(
    portfolio: Snapshot | Message | None,
    *,
    last: Snapshot | None = None,
    is_awaited: bool = False,
) -> list[Block]:
    """Return the first part of the tab; `is_awaited`: another list is on its way.

    `last` is what was listed before there was nothing to show.
    """
    if portfolio is None or (is_awaited and not _has_domains(portfolio)):
        waiting = "⏳ Asking Domain Tracker how your domains are…"
        return [header(_TITLE), section(waiting), *_buttons()]
    if isinstance(portfolio, Message):
        listed = _listed(last, can_refresh=False) if last and last.domains else []
        return [header(_TITLE), *refreshable(portfolio), *listed]
    if not portfolio.domains:
        return [header(_TITLE), *_empty()]
    return [header(_TITLE), *_listed(portfolio, is_awaited=is_awaited)]


def _listed(
    portfolio: Snapshot, *, is_awaited: bool = False, can_refresh: bool = True
) -> list[Block]:
    totals = summary(domain.health_score for domain in portfolio.domains)
    return [
        section(_totals_text(totals)),
        *_buttons(can_refresh=can_refresh),
        *_worst(portfolio),
        context(_as_of(portfolio, is_awaited=is_awaited)),
    ]


def refresh_button() -> Block | None:
    """Return the button that draws the tab anew."""
    return button("Refresh", REFRESH)


def refreshable(told: Message) -> list[Block]:
    """Return why something is not shown, with its buttons, and one to look again."""
    *blocks, last = told.blocks or (section(told.text),)
    if last["type"] == "actions":
        return [*blocks, *actions(*last["elements"], refresh_button())]
    return [*blocks, last, *actions(refresh_button())]


def _has_domains(portfolio: Snapshot | Message) -> bool:
    return isinstance(portfolio, Snapshot) and bool(portfolio.domains)


def _totals_text(totals: Summary) -> str:
    average = "unknown" if totals.average is None else score_number(totals.average)
    count = f"*{plural(totals.count, 'domain')}*, average health *{average}*"
    return f"{count}\n{bands_text(totals, with_symbols=True)}"


def _buttons(*, can_refresh: bool = True) -> list[Block]:
    return actions(
        run_button("Scan", "/scan", style="primary"),
        run_button("Add domain", "/adddomain"),
        run_button("All domains", "/domains"),
        refresh_button() if can_refresh else None,
    )


def _empty() -> list[Block]:
    text = "Domain Tracker watches no domains for this workspace yet. Add the first one."
    add = run_button("Add domain", "/adddomain", style="primary")
    return [section(text), *actions(add, refresh_button())]


def _worst(portfolio: Snapshot) -> list[Block]:
    known = [domain for domain in portfolio.domains if domain.health_score is not None]
    worst = nsmallest(MAX_WORST, known, key=lambda domain: domain.health_score or 0)
    if not worst:
        return [section("No domain has a health score yet. A scan may bring one.")]
    title = "Worst domain" if len(worst) == 1 else f"The {len(worst)} worst"
    return [
        section(f"*{title if len(known) > len(worst) else 'Worst first'}*"),
        *(_domain_block(domain, number) for number, domain in enumerate(worst)),
    ]


def _domain_block(domain: Domain, number: int) -> Block:
    shown = host_shown(domain.domain)
    labels = [f"📁 {code(domain.folder, MAX_LABELS_CHARS)}"] if domain.folder else []
    labels += [f"🏷️ {code(', '.join(domain.tags), MAX_LABELS_CHARS)}"] if domain.tags else []
    more = f"\n{'  '.join(labels)}" if labels else ""
    scan = run_button(
        "Scan",
        f"/scan {domain.domain}",
        number=number,
        accessibility_label=outside(f"Scan {shown}", MAX_ACCESSIBLE_CHARS),
    )
    return section(f"{score_text(domain.health_score)}  *{code(shown, 300)}*{more}", scan)


def _as_of(portfolio: Snapshot, *, is_awaited: bool) -> str:
    note = f"As listed {moment_token(portfolio.listed_at)}."
    if portfolio.skipped:
        note += f" {plural(portfolio.skipped, 'entry', 'entries')} without a name left out."
    if is_awaited:
        note += "\n⏳ Asking Domain Tracker how they are now…"
    return note
