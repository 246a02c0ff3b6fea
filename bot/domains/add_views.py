"""Draw the form and the answers of `/adddomain`: one domain, or a list of them. Pure."""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from typing import Any

from bot.blocks.builders import (
    CANCEL,
    actions,
    button,
    context,
    field,
    fields,
    form,
    input_element,
    message_of,
    option,
    paragraphs,
    plain_message,
    run_button,
    section,
)
from bot.blocks.links import linked_name
from bot.blocks.message import Block, Message
from bot.blocks.text import code, host_text, lines_within, literal, plural
from bot.domains.adding import (
    MAX_DOMAINS,
    MAX_LABEL_CHARS,
    MAX_TAGS,
    AddOutcome,
    AddReport,
    NewDomains,
)
from bot.domains.views import score_mrkdwn
from bot.keys.views import left_text
from bot.process.redaction import holds_secret
from bot.tracker.models import Domain, NewDomain
from bot.tracker.rate_limit import Allowance

ADD_FORM = "add"
DOMAIN_FIELD, TYPE_FIELD = "add.domain", "add.type"
FOLDER_FIELD, TAGS_FIELD = "add.folder", "add.tags"
MAX_OFFERED = 100
# The most that a field takes:
# https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element
MAX_TYPED_CHARS = 3000
_LIST_HINT = (
    f"Or paste a list, one domain per line: at most {MAX_DOMAINS} domains, and"
    f" {MAX_TYPED_CHARS:,} characters. You confirm it first."
)
# Begins with the command, so that who waits for it is stored at once.
ADD_LIST = "/adddomain.list"
# The line that asks about a kept list again begins so.
LIST_LINE = "/adddomain list:"
MAX_NAMES_CHARS = 1200
# The questions for the list before, and the list after the last write.
LISTS = 2


def added_message(host: str, listed: Domain | None) -> Message:
    """Return the answer to an added domain; `listed` is `None` if it is not listed yet."""
    if listed:
        return _listed_message(f"✅ Added {linked_name(host, listed.domain_id)}.", host, listed)
    return plain_message(
        f"✅ Added {linked_name(host, None)}."
        " Domain Tracker doesn't list it yet. This can take a moment.",
        run_button("All domains", "/domains", style="primary"),
    )


def already_added_message(host: str, listed: Domain) -> Message:
    text = f"{linked_name(host, listed.domain_id)} is already in your portfolio."
    return _listed_message(text, host, listed)


def _listed_message(text: str, host: str, listed: Domain) -> Message:
    health = ("Health", score_mrkdwn(listed.health_score))
    scan = run_button("Scan", f"/scan {host}", style="primary")
    buttons = actions(scan, run_button("All domains", "/domains"))
    return message_of(section(text), fields([health, *_labels(listed)]), *buttons)


def _labels(domain: Domain | NewDomain) -> list[tuple[str, str]]:
    tags = ", ".join(literal(tag, 60) for tag in domain.tags[:MAX_TAGS])
    return [
        ("Type", literal(domain.domain_type, 100) if domain.domain_type else "–"),
        ("Folder", literal(domain.folder, 100) if domain.folder else "–"),
        ("Tags", tags or "–"),
    ]


def add_form(metadata: str, owned_type: str) -> Block:
    domain = input_element(
        "plain_text_input",
        DOMAIN_FIELD,
        "example.com, or a web address",
        multiline=True,
        max_length=MAX_TYPED_CHARS,
        focus_on_load=True,
    )
    domain_type = _menu("external_select", TYPE_FIELD, initial_option=option(owned_type))
    folder = _menu("external_select", FOLDER_FIELD)
    tags = _menu("multi_external_select", TAGS_FIELD, max_selected_items=MAX_TAGS)
    blocks = [
        field("domain", "Domain", domain, hint=_LIST_HINT),
        field("type", "Type", domain_type),
        field("folder", "Folder", folder, optional=True),
        field("tags", "Tags", tags, optional=True),
        context("Pick a value in use, or type a new one."),
    ]
    return form(ADD_FORM, "Add a domain", "Add", blocks, metadata=metadata)


def label_options(used: Iterable[str], typed: str) -> list[Block]:
    """Return the labels in use that match `typed`, then `typed` as a new one.

    Labels that are too long for an option or hold a secret are not offered.
    """
    typed = typed.strip()
    # Without duplicates, which Slack refuses.
    matching = [label for label in dict.fromkeys(used) if typed.casefold() in label.casefold()]
    options = [option(label) for label in matching if _is_label(label)]
    is_new = typed.casefold() not in map(str.casefold, matching)
    new = [option(typed, note="new")] if is_new and _is_label(typed) else []
    return options[: MAX_OFFERED - len(new)] + new


def _is_label(text: str) -> bool:
    return 0 < len(text) <= MAX_LABEL_CHARS and not holds_secret(text)


def _menu(kind: str, action_id: str, **more: Any) -> Block:
    return input_element(kind, action_id, "Pick or type", min_query_length=0, **more)


def list_question(
    name: str, new: NewDomains, listed: Collection[str], allowance: Allowance | None, now: datetime
) -> Message:
    """Return the question whether to add the list called `name`; `listed` are there already."""
    fresh = [host for host in new.hosts if host not in listed]
    known = [host for host in new.hosts if host in listed]
    title = f"Add {plural(len(fresh), 'domain')}?" if fresh else "There is nothing to add."
    lines = [f"*{title}*", *_named("New", fresh), *_named("Already there", known)]
    lines += _named("Not a domain", new.notes, code)
    lines += [f"*Repeated* ({new.repeated:,})"] if new.repeated else []
    if not fresh:
        return message_of(*paragraphs(lines))
    labels = "; ".join(f"{name}: {value}" for name, value in _labels(new.domains[0]))
    note = f"{labels}.\nThis takes {len(fresh) + LISTS:,} requests. {left_text(allowance, now)}"
    add = button("Add", ADD_LIST, name, style="primary")
    return message_of(*paragraphs(lines), context(note), *actions(add, button("Cancel", CANCEL)))


def progress_message(report: AddReport) -> Message:
    done, count = len(report.outcomes), len(report.new.domains)
    return plain_message("⏳ Adding domains…" + (f" {done:,} of {count:,} done." if done else ""))


def list_summary(name: str, report: AddReport, why: Message | None = None) -> Message:
    """Return what became of a list; `why` says what ended it early."""
    added, left = report.hosts(AddOutcome.ADDED), report.hosts(None)
    known, unknown = report.hosts(AddOutcome.KNOWN), report.hosts(AddOutcome.UNKNOWN)
    wanted = len(report.new.hosts) - len(known)

    def refusal(host: str) -> str:
        reason = report.reasons.get(host)
        return _host(host) + (f" – it said {code(reason, 100)}" if reason else "")

    title = f"*Added {len(added):,} of {plural(wanted, 'domain')}.*"
    lines = [f"✅ {title}" if len(added) == wanted else title]
    lines += _named("Not tried", left)
    lines += _named("Not confirmed, may still appear", unknown)
    lines += _named("Refused", report.hosts(AddOutcome.REFUSED), refusal)
    lines += _named("Added", added) + _named("Already there", known)
    lines += _named("Not a domain", report.new.notes, code)
    again = run_button("Try again", LIST_LINE + name, once=True) if left or unknown else None
    failure = [block for block in why.blocks if block["type"] != "actions"] if why else []
    # Names that do not fit a button were never scanned: they are asked for by that.
    scan = run_button("Scan them", f"/scan {' '.join(added)}", number=2) if added else None
    if added and scan is None:
        scan = run_button("Scan them", "/scan scanned:never", number=2)
    buttons = actions(again, scan, run_button("All domains", "/domains", number=1))
    return message_of(*failure, *paragraphs(lines), *buttons)


def _host(host: str) -> str:
    return literal(host_text(host), 300)


def _named(label: str, items: Collection[str], draw: Callable[[str], str] = _host) -> list[str]:
    """Return a line with the number of items and the first of them; none without items."""
    if not items:
        return []
    shown = lines_within(map(draw, items), MAX_NAMES_CHARS)
    more = f" and {len(items) - len(shown):,} more" if len(shown) < len(items) else ""
    return [f"*{label}* ({len(items):,}): {', '.join(shown)}{more}"]
