"""Draw the question before a list of domains is added, its progress and its summary. Pure."""

from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from bot.message import Block, Message
from bot.portfolio.add_many import NewDomains, Outcome, Report
from bot.shared_limits import Allowance
from bot.views.api_key import left_text
from bot.views.blocks import actions, button, context, paragraphs, plain_message, run_button
from bot.views.text import code, host_text, lines_within, literal, plural, without_markup

# Begins with the command, so that who waits for it is stored at once.
ADD_LIST = "/adddomain.list"
MAX_NAMES_CHARS = 1200
# The questions for the list before, and the list after the last write.
LISTS = 2


def list_line(name: str) -> str:
    """Return the command line that asks about a kept list again."""
    return f"/adddomain list:{name}"


def list_question(
    name: str,
    new: NewDomains,
    listed: Collection[str],
    allowance: Allowance | None,
    now: datetime,
) -> Message:
    """Return the question whether to add the list called `name`; `listed` are there already."""
    fresh = [host for host in new.hosts if host not in listed]
    known = [host for host in new.hosts if host in listed]
    title = f"Add {plural(len(fresh), 'domain')}?" if fresh else "There is nothing to add."
    counts = (
        (known, "already there"),
        (new.notes, "no domain"),
        (range(new.repeated), "repeated"),
    )
    said = [
        f"{len(some):,} {'is' if len(some) == 1 else 'are'} {what}"
        for some, what in counts
        if some
    ]
    lines = [f"*{title}*" + (f" {', '.join(said)}." if said else "")]
    lines += _named("New", fresh) + _named("Already there", known)
    lines += _named("No domain", new.notes, code)
    if not fresh:
        return _message(lines)
    details = [_labels(new), _price(len(fresh), allowance, now)]
    return _message(lines, details, button("Add", ADD_LIST, name, style="primary"))


def progress_message(report: Report) -> Message:
    """Return the message while a list is added."""
    known = len(report.hosts(Outcome.KNOWN))
    done, wanted = len(report.outcomes) - known, len(report.new.hosts) - known
    return plain_message("⏳ Adding domains…" + (f" {done:,} of {wanted:,} done." if done else ""))


def list_summary(name: str, report: Report, why: Message | None = None) -> Message:
    """Return what became of a list; `why` says what ended it early."""
    added, left = report.hosts(Outcome.ADDED), report.hosts(None)
    known, unknown = report.hosts(Outcome.KNOWN), report.hosts(Outcome.UNKNOWN)
    wanted = len(report.new.hosts) - len(known)
    title = f"*Added {len(added):,} of {plural(wanted, 'domain')}.*"
    lines = [f"✅ {title}" if len(added) == wanted else title]
    if report.unlisted:
        lines[0] += f" {report.unlisted:,} not listed yet. This can take a moment."
    lines += _named("Not tried", left)
    lines += _named("Not confirmed, may still appear", unknown)
    lines += _named("Refused", report.hosts(Outcome.REFUSED), _refusal(report))
    lines += _named("Already there", known) + _named("Added", added)
    details, again = [], None
    if left or unknown:
        details = ["Trying again is safe: I check first."]
        again = run_button("Try again", list_line(name), once=True)
    buttons = again, run_button("All domains", "/domains", number=1)
    message = _message(lines, details, *buttons)
    if why is None:
        return message
    said = [block for block in why.blocks if block["type"] != "actions"]
    return Message(f"{why.text} {message.text}", (*said, *message.blocks))


def stopped_summary(name: str, report: Report) -> Message:
    """Return what became of a list when the process stops before its end."""
    return list_summary(name, report, plain_message("The app is restarting and had to stop."))


def _message(lines: list[str], details: Sequence[str] = (), *buttons: Block | None) -> Message:
    text = without_markup(" ".join((*lines, *details)))
    notes = [context("\n".join(details))] if details else []
    return Message(text, (*paragraphs(lines), *notes, *actions(*buttons)))


def _named(
    label: str, items: Collection[str], draw: Callable[[str], str] | None = None
) -> list[str]:
    """Return a line with the number of items and the first of them; none without items."""
    if not items:
        return []
    shown = lines_within(map(draw or _host, items), MAX_NAMES_CHARS)
    more = f" and {len(items) - len(shown):,} more" if len(shown) < len(items) else ""
    return [f"*{label}* ({len(items):,}): {', '.join(shown)}{more}"]


def _host(host: str) -> str:
    return literal(host_text(host), 300)


def _refusal(report: Report) -> Callable[[str], str]:
    def draw(host: str) -> str:
        said = report.reasons.get(host)
        return f"{_host(host)} – it said {code(said, 100)}" if said else _host(host)

    return draw


def _labels(new: NewDomains) -> str:
    """Return the labels that all domains of a list get."""
    tags = ", ".join(literal(tag, 60) for tag in new.tags)
    folder = literal(new.folder, 100) if new.folder else "none"
    return f"Type: {literal(new.domain_type, 100)}; folder: {folder}; tags: {tags or 'none'}."


def _price(count: int, allowance: Allowance | None, now: datetime) -> str:
    price = f"This takes {count + LISTS:,} requests."
    budget = allowance.budget if allowance else None
    if budget is None or budget.remaining is None:
        return price
    price = f"{price} {left_text(budget, now)}"
    if count + LISTS <= budget.remaining - budget.reserve:
        return price
    return f"⚠️ {price} What doesn't fit can be added later with `Try again`."
