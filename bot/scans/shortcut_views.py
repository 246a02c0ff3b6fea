"""Draw the forms of the shortcut `Scan domains in message`. Pure."""

from collections.abc import Collection

from bot.blocks.builders import (
    context,
    field,
    form,
    input_element,
    notice,
    option,
    plain_message,
    section,
)
from bot.blocks.message import Block
from bot.blocks.text import MAX_OPTION_VALUE_CHARS, host_text, plural

# The callback ids in the manifest.
SCAN, ADD, SCAN_MESSAGE = "shortcut.scan", "shortcut.add", "shortcut.scan_message"
FOUND_FORM = "shortcut.found"
SCAN_BLOCK, ADD_BLOCK = "scan", "add"
PICKED = "shortcut.picked"
MAX_PICKED = 10
# https://docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element
MAX_OPTIONS = 100
# Until the form is drawn.
LOOKING = plain_message("⏳ Checking the message for domains…")
_TITLE = "Domains in message"
_WHERE = "You alone see the answers, in this conversation or as direct messages."


def found_form(watched: Collection[str], others: Collection[str], metadata: str) -> Block:
    """Return the form with the host names of a message: those of the portfolio, and others.

    One that is too long for an option's value is counted only.
    """
    shown, new = (
        [option(host, host_text(host)) for host in hosts if len(host) <= MAX_OPTION_VALUE_CHARS]
        for hosts in (watched, others)
    )
    shown, new = shown[:MAX_OPTIONS], new[:MAX_OPTIONS]
    if not (shown or new):
        return notice(_TITLE, [section("I found no domain names in this message.")])
    left_out = len(watched) + len(others) - len(shown) - len(new)
    blocks = [
        *_field(SCAN_BLOCK, "Scan", shown, shown[:MAX_PICKED], "A scan can take up to 2 minutes."),
        *_field(ADD_BLOCK, "Add to your portfolio", new, [], "These are not in it yet."),
        context(f"{_WHERE} Pick at most {MAX_PICKED} in each list."),
        *([context(f"{plural(left_out, 'more name')} in this message.")] if left_out else []),
    ]
    return form(FOUND_FORM, _TITLE, "Start", blocks, metadata=metadata)


def busy_form() -> Block:
    return notice(_TITLE, [section(f"⏳ Working on it. {_WHERE} You can close this.")])


def done_form(count: int) -> Block:
    return notice(_TITLE, [section(f"Finished with {plural(count, 'domain')}. {_WHERE}")])


def _field(
    block_id: str, label: str, options: list[Block], picked: list[Block], hint: str
) -> list[Block]:
    if not options:
        return []
    menu = input_element(
        "multi_static_select",
        PICKED,
        "Pick domains",
        options=options,
        initial_options=picked or None,
        max_selected_items=MAX_PICKED,
    )
    return [field(block_id, label, menu, hint=hint, optional=True)]
