"""The rules of mention in a digest's form: which stay, and the new one. Pure."""

from collections.abc import Mapping

from bot.digests.digest import Mention
from bot.listeners.digests.checks import group_in
from bot.listeners.digests.fields import field_in
from bot.views.digests.draft import (
    GROUP_FIELD,
    LABEL_FIELD,
    PEOPLE_FIELD,
    RULES_FIELD,
    RuleBox,
)
from bot.views.digests.mentions import MAX_RULES, MAX_WHO, box_of, is_label, is_same_label
from bot.views.text import MAX_OPTION_VALUE_CHARS


def kept_in(values: object) -> tuple[RuleBox, ...] | None:
    """Return the boxes that are ticked; `None`: the form has none, so every rule stays."""
    chosen = field_in(values, RULES_FIELD).state.get("selected_options")
    if not isinstance(chosen, list):
        return None
    boxes = (_box(option) for option in chosen)
    return tuple(box for box in boxes if box)


def places_in(kept: tuple[RuleBox, ...] | None) -> frozenset[int] | None:
    """Return the places of the rules that stay, `None` for all."""
    if kept is None:
        return None
    return frozenset(place for place, _, _ in _read(kept))


def rule_in(values: object, errors: dict[str, str]) -> Mention | None:
    """Return the new rule of mention, `None` for none; note in `errors` what it lacks."""
    label, people = field_in(values, LABEL_FIELD), field_in(values, PEOPLE_FIELD)
    group = field_in(values, GROUP_FIELD)
    chosen = group_in(group)
    who = (*people.user_ids, chosen[0]) if chosen else people.user_ids
    if group.value and not chosen:
        errors[group.block_id] = "Please pick a user group from the list."
    if not label.value:
        if who:
            errors[label.block_id] = "Pick the tag or folder whose domains they look after."
        return None
    if not is_label(label.value):
        errors[label.block_id] = "Pick a tag or a folder from the list, or type tag:prod."
    elif not who:
        errors.setdefault(people.block_id, "Pick whom to mention, or empty the tag or folder.")
    else:
        _check_room(values, Mention(label=label.value, who=who), errors)
    return Mention(label=label.value, who=who)


def _check_room(values: object, new: Mention, errors: dict[str, str]) -> None:
    """Note in `errors` where the new rule is one too many, or mentions too many."""
    kept = _read(kept_in(values) or ())
    joined = [count for _, count, label in kept if is_same_label(label, new.label)]
    if not joined and len(kept) >= MAX_RULES:
        errors[field_in(values, LABEL_FIELD).block_id] = (
            f"{MAX_RULES} rules are the most there can be: take the tick from one of them first."
        )
    if sum(joined) + len(new.who) > MAX_WHO:
        errors[field_in(values, PEOPLE_FIELD).block_id] = (
            f"At most {MAX_WHO} people and user groups are mentioned for one tag or folder"
            f"{f': it has {sum(joined)} already' if joined else ''}."
        )


def _read(kept: tuple[RuleBox, ...]) -> list[tuple[int, int, str]]:
    return [found for box in kept if (found := box_of(box.value))]


def _box(option: object) -> RuleBox | None:
    """A box as Slack sends it back, if it is one of ours."""
    if not isinstance(option, Mapping):
        return None
    value, shown, note = option.get("value"), option.get("text"), option.get("description")
    if not isinstance(value, str) or len(value) > MAX_OPTION_VALUE_CHARS or not box_of(value):
        return None
    return RuleBox(value, _text(shown) or value, _text(note))


def _text(words: object) -> str:
    text = words.get("text") if isinstance(words, Mapping) else None
    return text if isinstance(text, str) else ""
