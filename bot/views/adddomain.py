"""Draw the form and the answer of `/adddomain`. Pure."""

from collections.abc import Iterable
from typing import Any

from bot.message import Block, Message
from bot.portfolio.add_domain import MAX_LABEL_CHARS, MAX_TAGS, NewDomain
from bot.redaction import holds_secret
from bot.tracker.models import Domain
from bot.views.blocks import (
    actions,
    context,
    field,
    fields,
    form,
    input_element,
    option,
    run_button,
    section,
)
from bot.views.domains import score_mrkdwn, score_text
from bot.views.text import bold, escaped, host_text, literal

ADD_FORM = "add"
DOMAIN_BLOCK, TYPE_BLOCK, FOLDER_BLOCK, TAGS_BLOCK = "domain", "type", "folder", "tags"
DOMAIN_FIELD, TYPE_FIELD = "add.domain", "add.type"
FOLDER_FIELD, TAGS_FIELD = "add.folder", "add.tags"
MAX_OFFERED = 100


def added_message(new: NewDomain, listed: Domain | None) -> Message:
    """Return the answer to an added domain; `listed` is `None` if it is not listed yet."""
    shown = host_text(new.host)
    if listed is None:
        text = "Domain Tracker doesn't list it yet. This can take a moment."
        buttons = actions(run_button("All domains", "/domains", style="primary"))
        blocks = (section(f"✅ Added {bold(shown, 300)}. {text}"), *buttons)
        return Message(f"Added {escaped(shown, 300)}. {text}", blocks)
    return Message(
        text=f"Added {escaped(shown, 300)}. {_state_text(listed)}",
        blocks=(
            section(f"✅ Added {bold(shown, 300)}."),
            _state(listed),
            *_next_steps(new.host),
        ),
    )


def already_added_message(host: str, listed: Domain) -> Message:
    """Return the answer to a domain that was already in the portfolio."""
    shown = host_text(host)
    text = "is already in your portfolio."
    return Message(
        text=f"{escaped(shown, 300)} {text} {_state_text(listed)}",
        blocks=(section(f"{bold(shown, 300)} {text}"), _state(listed), *_next_steps(host)),
    )


def add_form(metadata: str, *, owned_type: str) -> Block:
    """Return the form to add a domain."""
    domain = input_element(
        "plain_text_input",
        DOMAIN_FIELD,
        "example.com, or a web address",
        max_length=2000,
        focus_on_load=True,
    )
    domain_type = _menu("external_select", TYPE_FIELD, initial_option=option(owned_type))
    folder = _menu("external_select", FOLDER_FIELD)
    tags = _menu("multi_external_select", TAGS_FIELD, max_selected_items=MAX_TAGS)
    blocks = [
        field(DOMAIN_BLOCK, "Domain", domain),
        field(TYPE_BLOCK, "Type", domain_type),
        field(FOLDER_BLOCK, "Folder", folder, optional=True),
        field(TAGS_BLOCK, "Tags", tags, optional=True),
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


def _state_text(domain: Domain) -> str:
    return (
        f"Health: {score_text(domain.health_score)};"
        f" type: {escaped(domain.domain_type or 'none', 100)};"
        f" folder: {escaped(domain.folder or 'none', 100)};"
        f" tags: {escaped(', '.join(domain.tags) or 'none', 300)}."
    )


def _state(domain: Domain) -> Block:
    tags = ", ".join(literal(tag, 60) for tag in domain.tags[:MAX_TAGS])
    return fields(
        [
            ("Health", score_mrkdwn(domain.health_score)),
            ("Type", literal(domain.domain_type, 100) if domain.domain_type else "–"),
            ("Folder", literal(domain.folder, 100) if domain.folder else "–"),
            ("Tags", tags or "–"),
        ]
    )


def _next_steps(host: str) -> list[Block]:
    return actions(
        run_button("Scan", f"/scan {host}", style="primary"), run_button("All domains", "/domains")
    )


def _menu(kind: str, action_id: str, **more: Any) -> Block:
    return input_element(kind, action_id, "Pick or type", min_query_length=0, **more)
