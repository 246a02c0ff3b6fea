"""The rules of mention in a digest's form: a box for each, and the fields for one more. Pure."""

from collections.abc import Sequence

from bot.message import Block
from bot.views.blocks import context, plain_text, section
from bot.views.digests.draft import (
    GROUP_FIELD,
    LABEL_FIELD,
    PEOPLE_FIELD,
    RULES_FIELD,
    Draft,
    RuleBox,
)
from bot.views.digests.mentions import MAX_RULES, MAX_WHO, is_label
from bot.views.form import field, option
from bot.views.text import MAX_OPTION_CHARS, clip

MAX_PEOPLE = 10

_OFF = (
    "Off, unless you say whom. A domain with that tag, or in that folder, that got worse"
    " mentions them in the post. To add several, save in between."
)


def rule_blocks(rules: Sequence[RuleBox], draft: Draft, nonce: str) -> list[Block]:
    """Return a box for each rule, to keep it or not, and the fields for one more."""
    return [
        section("*Mention when something gets worse*"),
        *([_boxes(rules[:MAX_RULES], draft, nonce)] if rules else [context(_OFF)]),
        *_new_rule(draft, nonce),
    ]


def _boxes(rules: Sequence[RuleBox], draft: Draft, nonce: str) -> Block:
    options = {box.value: _box(box) for box in rules}
    kept = options if draft.kept is None else {box.value for box in draft.kept}
    element: Block = {
        "type": "checkboxes",
        "action_id": RULES_FIELD,
        "options": list(options.values()),
    }
    if ticked := [options[value] for value in options if value in kept]:
        element["initial_options"] = ticked
    hint = "Those without a tick are gone once you press Save."
    return field(f"rules:{nonce}", "Mention rules", element, hint=hint, optional=True)


def _box(box: RuleBox) -> Block:
    made = option(box.value, box.shown)
    # Formatted, as in no other menu: only so people are shown by their names.
    # https://docs.slack.dev/reference/block-kit/composition-objects/option-object
    note = {"type": "mrkdwn", "text": clip(box.note, MAX_OPTION_CHARS), "verbatim": True}
    return made | ({"description": note} if box.note else {})


def _new_rule(draft: Draft, nonce: str) -> list[Block]:
    label = _menu(LABEL_FIELD, "external_select", "Choose a tag or folder")
    label["min_query_length"] = 0
    if draft.label and is_label(draft.label):
        label["initial_option"] = option(draft.label)
    people = _menu(PEOPLE_FIELD, "multi_users_select", "Choose people")
    people["max_selected_items"] = MAX_PEOPLE
    if draft.people:
        people["initial_users"] = list(draft.people[:MAX_PEOPLE])
    group = _menu(GROUP_FIELD, "external_select", "Choose a user group")
    group["min_query_length"] = 0
    if draft.group:
        group["initial_option"] = option(*draft.group)
    most = f"At most {MAX_WHO} people and user groups for one tag or folder."
    return [
        field(f"label:{nonce}", "Tag or folder", label, optional=True),
        field(f"people:{nonce}", "Mention", people, hint=most, optional=True),
        field(f"group:{nonce}", "Mention user group", group, optional=True),
    ]


def _menu(action_id: str, kind: str, placeholder: str) -> Block:
    return {
        "type": kind,
        "action_id": action_id,
        "placeholder": plain_text(placeholder, 150),
    }
