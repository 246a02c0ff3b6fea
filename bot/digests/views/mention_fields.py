"""Draw the mention rules of a digest's form. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from bot.blocks.builders import context, field, input_element, option, section
from bot.blocks.message import Block
from bot.blocks.text import (
    MAX_OPTION_CHARS,
    MAX_OPTION_VALUE_CHARS,
    clip,
    escaped,
    outside,
)
from bot.digests.models import MAX_RULES, Mention, is_label
from bot.digests.views import form_fields
from bot.digests.views.wording import mention_tokens
from bot.slack.usergroups import UserGroup

MAX_OFFERED = 100
_KINDS = ("tag", "folder")
_BOX = re.compile(r"(\d{1,2}) (.*)", re.ASCII)


def rule_boxes(rules: Sequence[Mention]) -> dict[str, str]:
    """Return the value of each rule's checkbox, which `box_of` parses, and its mentions."""
    return {
        outside(f"{place} {rule.label}", MAX_OPTION_VALUE_CHARS): who_text(rule)
        for place, rule in enumerate(rules)
    }


def box_of(value: str) -> tuple[int, str] | None:
    """Return the index of a checkbox's rule, and its label."""
    found = _BOX.fullmatch(value)
    return (int(found[1]), found[2]) if found else None


def who_text(rule: Mention) -> str:
    """Return the mentions of a rule, as many as fit below a checkbox."""
    who = mention_tokens(rule.who)
    shown = who
    while len(_with_rest(shown, len(who))) > MAX_OPTION_CHARS:
        shown = shown[:-1]
    return _with_rest(shown, len(who)) or "no one"


def with_rule(rules: Sequence[Mention], new: Mention | None) -> tuple[Mention, ...]:
    """Return the rules with a new one, which is merged into a rule of the same label."""
    if new is None:
        return tuple(rules)
    known = [rule for rule in rules if rule.label.casefold() == new.label.casefold()]
    if not known:
        return (*rules, new)[:MAX_RULES]
    who = tuple(dict.fromkeys((*known[0].who, *new.who)))
    joined = Mention(label=known[0].label, who=who)
    return tuple(joined if rule is known[0] else rule for rule in rules)


def rule_label_options(used: Iterable[str], typed: str) -> list[Block]:
    """Return the labels in use that match `typed`, then `typed` as a new label."""
    typed = typed.strip()
    meant = {label.casefold(): label for label in _spelled_out(typed)}
    matching = [
        label
        for label in dict.fromkeys(used)
        if typed.casefold() in label.casefold() or label.casefold() in meant
    ]
    known = set(map(str.casefold, matching))
    options = [option(label) for label in matching if is_label(label)]
    added = [
        option(label, note="not in use")
        for name, label in meant.items()
        if name not in known and is_label(label)
    ]
    return options[: MAX_OFFERED - len(added)] + added


def _with_rest(shown: Sequence[str], count: int) -> str:
    more = f"and {count - len(shown):,} more" if len(shown) < count else ""
    return " ".join([*shown, *([more] if more else [])])


def _spelled_out(typed: str) -> list[str]:
    """Return the possible labels: `prod` may be a tag or a folder, `Tag: prod` is a tag."""
    kind, colon, name = typed.partition(":")
    if colon and kind.strip().casefold() in _KINDS:
        return [f"{kind.strip().casefold()}:{name.strip()}"]
    return [f"{kind}:{typed}" for kind in _KINDS] if typed else []


MAX_PEOPLE = 10
_OFF = (
    "Off. Choose a tag or folder and people: the post mentions them when its domains get worse."
    " To add another rule, save first."
)


def rule_blocks(boxes: Mapping[str, str], draft: form_fields.Draft, nonce: str) -> list[Block]:
    """Return the checkboxes of the rules, and the fields of a new one."""
    return [
        section("*Mention when something gets worse*"),
        *([_boxes(boxes, draft, nonce)] if boxes else [context(_OFF)]),
        *_new_rule(draft, nonce),
    ]


def _boxes(boxes: Mapping[str, str], draft: form_fields.Draft, nonce: str) -> Block:
    options = {value: _box(value, who) for value, who in boxes.items()}
    ticked = [options[value] for value in options if draft.kept is None or value in draft.kept]
    element = input_element(
        "checkboxes",
        form_fields.RULES_FIELD,
        options=list(options.values()),
        initial_options=ticked or None,
    )
    hint = "Rules without a tick are removed when you save."
    return field(f"rules:{nonce}", "Mention rules", element, hint=hint, optional=True)


def _box(value: str, who: str) -> Block:
    # Only mrkdwn shows people by name, and a description may be mrkdwn only beside mrkdwn:
    # https://github.com/slackapi/node-slack-sdk/pull/2742
    found = box_of(value)
    made = {"text": _mrkdwn(escaped(found[1] if found else "") or "(nothing)"), "value": value}
    return made | ({"description": _mrkdwn(who)} if who else {})


def _mrkdwn(text: str) -> Block:
    return {"type": "mrkdwn", "text": clip(text, MAX_OPTION_CHARS), "verbatim": True}


def _new_rule(draft: form_fields.Draft, nonce: str) -> list[Block]:
    label = input_element(
        "external_select",
        form_fields.LABEL_FIELD,
        "Choose a tag or folder",
        min_query_length=0,
        initial_option=option(draft.label) if draft.label and is_label(draft.label) else None,
    )
    people = input_element(
        "multi_users_select",
        form_fields.PEOPLE_FIELD,
        "Choose people",
        max_selected_items=MAX_PEOPLE,
        initial_users=list(draft.people[:MAX_PEOPLE]) or None,
    )
    group = input_element(
        "external_select",
        form_fields.GROUP_FIELD,
        "Choose a user group",
        min_query_length=0,
        initial_option=option(*draft.group) if draft.group else None,
    )
    return [
        field(f"label:{nonce}", "Tag or folder", label, optional=True),
        field(f"people:{nonce}", "Mention", people, optional=True),
        field(f"group:{nonce}", "Mention user group", group, optional=True),
    ]


def group_options(groups: Iterable[UserGroup], typed: str) -> list[Block]:
    """Return the user groups whose handle or name matches `typed`."""
    typed = typed.strip().removeprefix("@").casefold()
    matching = [group for group in groups if typed in f"{group.handle}\n{group.name}".casefold()]
    return [
        option(group.group_id, f"@{group.handle}", outside(group.name, MAX_OPTION_CHARS))
        for group in matching[:MAX_OFFERED]
    ]
