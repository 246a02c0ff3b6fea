"""Whom a digest mentions when something gets worse: the rules in its form. Pure."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from bot.digests.digest import Digest, Mention
from bot.message import Block
from bot.redaction import holds_secret
from bot.views.blocks import button, context, plain_text, section
from bot.views.digests.draft import GROUP_FIELD, LABEL_FIELD, PEOPLE_FIELD, Draft
from bot.views.digests.owners import mention_tokens
from bot.views.form import field, option
from bot.views.text import (
    MAX_OPTION_CHARS,
    MAX_OPTION_VALUE_CHARS,
    code,
    outside,
    plural,
)

REMOVE_RULE = "digests.unrule"
MAX_RULES = 10
MAX_PEOPLE = 10
MAX_OFFERED = 100
MAX_WHO_SHOWN = 12

_LABEL = re.compile(r"(tag|folder):\S.*")
_KINDS = ("tag", "folder")


class Group(Protocol):
    """People who can be mentioned at once; `handle` comes without the `@`."""

    @property
    def group_id(self) -> str:
        """`S…`."""
        ...

    @property
    def handle(self) -> str:
        """What people type."""
        ...

    @property
    def name(self) -> str:
        """What the group is called."""
        ...


def is_label(text: str) -> bool:
    """Say whether `text` names a tag or a folder, fits into a menu, and holds no secret."""
    fits = len(text) <= MAX_OPTION_VALUE_CHARS and not holds_secret(text)
    return fits and _LABEL.fullmatch(text) is not None


def rule_blocks(
    digest: Digest | None, removed: Collection[int], draft: Draft, nonce: str
) -> list[Block]:
    """Return the rules that stay, with a button each, and the fields for one more."""
    rules = digest.plan.mentions if digest else ()
    kept = [(place, rule) for place, rule in enumerate(rules) if place not in removed]
    return [
        section("*Mention when something gets worse*"),
        context(_about(len(kept), len(rules) - len(kept))),
        *(section(rule_text(rule), _remove_button(place)) for place, rule in kept),
        *(_new_rule(draft, nonce) if len(kept) < MAX_RULES else []),
    ]


def rule_text(rule: Mention) -> str:
    """Return mrkdwn of a rule: in a form it shows people by their names, and tells nobody."""
    who = mention_tokens(rule.who)
    left_out = len(who) - MAX_WHO_SHOWN
    more = f" and {left_out:,} more" if left_out > 0 else ""
    return f"{code(rule.label)} → {' '.join(who[:MAX_WHO_SHOWN]) or 'nobody'}{more}"


def with_rule(rules: Sequence[Mention], new: Mention | None) -> tuple[Mention, ...]:
    """Return the rules with one more; a label that has a rule already gets more people."""
    if new is None:
        return tuple(rules)
    known = [rule for rule in rules if rule.label.casefold() == new.label.casefold()]
    if not known:
        return (*rules, new)
    joined = Mention(label=known[0].label, who=tuple(dict.fromkeys((*known[0].who, *new.who))))
    return tuple(joined if rule is known[0] else rule for rule in rules)


def rule_label_options(used: Iterable[str], typed: str) -> list[Block]:
    """Return the labels in use that match `typed`, then what was typed as a new one."""
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


def group_options(groups: Iterable[Group], typed: str) -> list[Block]:
    """Return the user groups whose handle or name matches `typed`."""
    typed = typed.strip().removeprefix("@").casefold()
    matching = [group for group in groups if typed in f"{group.handle}\n{group.name}".casefold()]
    return [
        option(group.group_id, f"@{group.handle}", outside(group.name, MAX_OPTION_CHARS))
        for group in matching[:MAX_OFFERED]
    ]


def _about(kept: int, removed: int) -> str:
    if removed:
        return f"{plural(removed, 'rule')} will be gone once you press `Save`."
    if kept >= MAX_RULES:
        return f"{MAX_RULES} rules are the most there can be: remove one to add another."
    if kept:
        return "To add one more, fill in what follows. To add several, save in between."
    return (
        "Off, unless you say whom. A domain with that tag, or in that folder, that got worse"
        " mentions them in the post."
    )


def _remove_button(place: int) -> Block | None:
    return button("Remove", f"{REMOVE_RULE}.{place}", f"{place}")


def _new_rule(draft: Draft, nonce: str) -> list[Block]:
    label = _menu(LABEL_FIELD, "external_select", "tag:prod") | {"min_query_length": 0}
    if draft.label and is_label(draft.label):
        label["initial_option"] = option(draft.label)
    people = _menu(PEOPLE_FIELD, "multi_users_select", "People")
    people["max_selected_items"] = MAX_PEOPLE
    if draft.people:
        people["initial_users"] = list(draft.people[:MAX_PEOPLE])
    group = _menu(GROUP_FIELD, "external_select", "@web-team") | {"min_query_length": 0}
    if draft.group:
        group["initial_option"] = option(*draft.group)
    return [
        field(f"label:{nonce}", "Tag or folder", label, optional=True),
        field(f"people:{nonce}", "Mention", people, optional=True),
        field(f"group:{nonce}", "Mention user group", group, optional=True),
    ]


def _menu(action_id: str, kind: str, placeholder: str) -> Block:
    return {
        "type": kind,
        "action_id": action_id,
        "placeholder": plain_text(placeholder, 150),
    }


def _spelled_out(typed: str) -> list[str]:
    """`prod` may be a tag or a folder; `Tag: prod` says which."""
    kind, colon, name = typed.partition(":")
    if colon and kind.strip().casefold() in _KINDS:
        return [f"{kind.strip().casefold()}:{name.strip()}"]
    return [f"{kind}:{typed}" for kind in _KINDS] if typed else []
