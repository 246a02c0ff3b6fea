"""Draw the question before a list of domains is added, its progress and its summary. Pure."""

from collections.abc import Callable, Collection
from datetime import datetime

from bot.message import Message
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
    counts = [f"{len(known):,} already in your portfolio"] if known else []
    counts += [f"{len(new.notes):,} no domain"] if new.notes else []
    counts += [f"{new.repeated:,} repeated"] if new.repeated else []
    title = f"Add {plural(len(fresh), 'domain')}?" if fresh else "There is nothing to add."
    tail = f" {', '.join(counts)}." if counts else ""
    lines = [f"*{title}*{tail}", *_named("New", fresh), *_named("Already there", known)]
    lines += _named("No domain", new.notes, code)
    blocks = paragraphs(lines)
    text = title + tail
    if fresh:
        price, labels = _price(len(fresh), allowance, now), _labels(new)
        text = f"{text} {labels} {price}"
        blocks += [
            context(f"{labels}\n{price}"),
            *actions(button("Add", ADD_LIST, name, style="primary")),
        ]
    return Message(without_markup(text), tuple(blocks))


def progress_message(report: Report) -> Message:
    """Return the message while a list is added."""
    count, done = plural(len(report.new.hosts), "domain"), len(report.outcomes)
    return plain_message(f"⏳ Adding {count}…" + (f" {done:,} done." if done else ""))


def list_summary(name: str, report: Report, why: Message | None = None) -> Message:
    """Return what became of a list; `why` says what ended it early."""
    added, left = report.hosts(Outcome.ADDED), report.hosts(None)
    unknown = report.hosts(Outcome.UNKNOWN)
    title = f"Added {len(added):,} of {plural(len(report.new.hosts), 'domain')}."
    lines = [f"{'✅ ' if len(added) == len(report.new.hosts) else ''}*{title}*"]
    late = f" {report.unlisted:,} not listed yet. This can take a moment."
    lines[0] += late if report.unlisted else ""
    lines += _named("Not tried", left)
    lines += _named("Not confirmed and not listed; may still appear", unknown)
    lines += _named("Refused", report.hosts(Outcome.REFUSED), _refusal(report))
    lines += _named("Already there", report.hosts(Outcome.KNOWN))
    lines += _named("Added", added)
    lines += _named("No domain", report.new.notes, code)
    heads = [line.partition(":")[0] for line in lines[1:]]
    text = title + (late if report.unlisted else "") + (f" {'; '.join(heads)}." if heads else "")
    safe = "Trying again is safe: I check first." if left or unknown else ""
    again = run_button("Try again", list_line(name), once=True) if safe else None
    said = [block for block in why.blocks if block["type"] != "actions"] if why else []
    buttons = actions(again, run_button("All domains", "/domains", number=1))
    blocks = (*said, *paragraphs(lines), *([context(safe)] if safe else []), *buttons)
    plain = " ".join(filter(None, [why.text if why else "", text, safe]))
    return Message(without_markup(plain), blocks)


def stopped_summary(name: str, report: Report) -> Message:
    """Return what became of a list when the process stops before its end."""
    return list_summary(name, report, plain_message("The app is restarting and had to stop."))


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
