"""Draw the question before a list of domains is added, its progress and its summary. Pure."""

from collections.abc import Callable, Collection
from datetime import datetime

from bot.message import Block, Message
from bot.portfolio.add_domain import NewDomain
from bot.portfolio.add_many import NewDomains, Outcome, Report
from bot.shared_limits import Allowance
from bot.views.api_key import left_text
from bot.views.blocks import actions, button, context, paragraphs, plain_message, run_button
from bot.views.text import code, host_text, lines_within, literal, plural, without_markup

# Begins with the command, so that who waits for it is stored at once.
ADD_LIST = "/adddomain.list"
# The line that asks about a kept list again begins so.
LIST_LINE = "/adddomain list:"
MAX_NAMES_CHARS = 1200
# The questions for the list before, and the list after the last write.
LISTS = 2


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
        (len(known), "already there"),
        (len(new.notes), "not a domain" if len(new.notes) == 1 else "not domains"),
        (new.repeated, "repeated"),
    )
    said = [f"{count:,} {'is' if count == 1 else 'are'} {what}" for count, what in counts if count]
    lines = [f"*{title}*" + (f" {', '.join(said)}." if said else "")]
    lines += _named("New", fresh) + _named("Already there", known)
    lines += _named("Not a domain", new.notes, code)
    if not fresh:
        return _message(lines)
    left = left_text(allowance.budget if allowance else None, now)
    note = f"{_labels(new.domains[0])}\nThis takes {len(fresh) + LISTS:,} requests. {left}"
    return _message(lines, button("Add", ADD_LIST, name, style="primary"), note=note)


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

    def refusal(host: str) -> str:
        said = report.reasons.get(host)
        return _host(host) + (f" – it said {code(said, 100)}" if said else "")

    title = f"*Added {len(added):,} of {plural(wanted, 'domain')}.*"
    lines = [f"✅ {title}" if len(added) == wanted else title]
    lines += _named("Not tried", left)
    lines += _named("Not confirmed, may still appear", unknown)
    lines += _named("Refused", report.hosts(Outcome.REFUSED), refusal)
    lines += _named("Already there", known) + _named("Added", added)
    again = run_button("Try again", LIST_LINE + name, once=True) if left or unknown else None
    message = _message(lines, again, run_button("All domains", "/domains", number=1))
    if why is None:
        return message
    said = [block for block in why.blocks if block["type"] != "actions"]
    return Message(f"{why.text} {message.text}", (*said, *message.blocks))


def _message(lines: list[str], *buttons: Block | None, note: str = "") -> Message:
    text = without_markup(" ".join([*lines, note]).strip())
    return Message(
        text, (*paragraphs(lines), *([context(note)] if note else []), *actions(*buttons))
    )


def _host(host: str) -> str:
    return literal(host_text(host), 300)


def _named(label: str, items: Collection[str], draw: Callable[[str], str] = _host) -> list[str]:
    """Return a line with the number of items and the first of them; none without items."""
    if not items:
        return []
    shown = lines_within(map(draw, items), MAX_NAMES_CHARS)
    more = f" and {len(items) - len(shown):,} more" if len(shown) < len(items) else ""
    return [f"*{label}* ({len(items):,}): {', '.join(shown)}{more}"]


def _labels(new: NewDomain) -> str:
    tags = ", ".join(literal(tag, 60) for tag in new.tags)
    folder = literal(new.folder, 100) if new.folder else "none"
    return f"Type: {literal(new.domain_type, 100)}; folder: {folder}; tags: {tags or 'none'}."
