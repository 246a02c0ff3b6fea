"""The form in which admins name those who may manage the key besides them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.admin.managers import MAX_GROUPS, MAX_MANAGERS, Named
from bot.message import Block, Message
from bot.views.blocks import context, plain_text, section
from bot.views.digests.mentions import Group
from bot.views.form import field, form, notice, option

MANAGERS_FORM = "managers"
MANAGERS_BLOCK, MANAGERS_FIELD = "managers", "managers.people"
GROUPS_BLOCK, GROUPS_FIELD = "managers-groups", "managers.groups"
TITLE = "Managers"
SAVED_MANAGERS = "✅ Saved."

NO_SCOPE = (
    "User groups cannot be named: I lack the permission `usergroups:read`. Install the app again"
    " with it, if you want that."
)
NO_GROUPS = "User groups can be named too, once this workspace has some."
UNSAID = (
    "Slack does not list the user groups just now, so only people can be changed here. Open this"
    " form again in a minute to change those."
)


class NameableGroup(Group, Protocol):
    """A user group; `is_disabled`: it was put out of use."""

    @property
    def is_disabled(self) -> bool:
        """Whether Slack gives it no members."""
        ...


@dataclass(frozen=True, slots=True)
class Groups:
    """The workspace's user groups, or, in a sentence of our own, why they cannot be named."""

    known: Sequence[NameableGroup] = ()
    why_not: str = ""


def managers_form(metadata: str, named: Named, groups: Groups, trouble: str = "") -> Block:
    """Return the form; `trouble` is a sentence of our own on why the last try was not saved."""
    people: Block = {
        "type": "multi_users_select",
        "action_id": MANAGERS_FIELD,
        "max_selected_items": MAX_MANAGERS,
    }
    if named.user_ids:
        people["initial_users"] = list(named.user_ids[:MAX_MANAGERS])
    warning = [section(f"⚠️ *Not saved.* {trouble}")] if trouble else []
    how = context(
        "Managers can do with the API key what admins and owners can, and are told when it is"
        " refused or ends soon. They cannot name others. Guests and bots cannot be managers, not"
        " even in a user group."
    )
    fields = field(MANAGERS_BLOCK, "Managers", people, optional=True)
    blocks = [*warning, how, fields, *_group_field(named, groups)]
    return form(MANAGERS_FORM, TITLE, "Save", blocks, metadata=metadata)


def saving_managers_form() -> Block:
    """Return what stands in the form's place while Slack is asked who they are."""
    return managers_notice("⏳ Saving…")


def saved_managers_form(ids: Sequence[str]) -> Block:
    """Return who the managers are from now on: ids of people and user groups."""
    return managers_notice(f"{SAVED_MANAGERS} {managers_text(ids)}")


def managers_text(ids: Sequence[str]) -> str:
    """Return a sentence of finished mrkdwn that names them."""
    named = names_text(ids)
    return f"Managers: {named}." if named else "There are no managers: only admins and owners."


def names_text(ids: Sequence[str]) -> str:
    """Return finished mrkdwn that names people and user groups, empty for nobody."""
    return ", ".join(map(name_token, ids))


def name_token(slack_id: str) -> str:
    """Return mrkdwn that names a person or a user group by what they are called now.

    Only for forms and for messages that one person alone sees, as of a refusal: elsewhere it
    calls them. https://docs.slack.dev/messaging/formatting-message-text#mentioning-groups
    """
    return f"<!subteam^{slack_id}>" if slack_id.startswith("S") else f"<@{slack_id}>"


def appointed_message(by: str) -> Message:
    """Return the direct message to somebody whom `by` has made a manager."""
    text = (
        f"{name_token(by)} has made you a manager of the Domain Tracker API key in this workspace."
    )
    more = (
        "As admins and owners can, you can now set, replace, check, rotate and remove the key,"
        " read the history, and change digests where members may not. I tell you here when the key"
        " is refused or ends soon.\nType `/domainkey` in any channel, or open my *Home* tab. There"
        " is nothing that you have to do now."
    )
    return Message(f"{text} Type /domainkey to see it.", (section(f"👥 {text}\n{more}"),))


def managers_notice(mrkdwn: str) -> Block:
    """Return one of our own sentences in the form's place."""
    return notice(TITLE, [section(mrkdwn)])


def _group_field(named: Named, groups: Groups) -> list[Block]:
    """Return the field, or why there is none; groups that were named then stay so."""
    if groups.why_not or not (groups.known or named.group_ids):
        stay = names_text(named.group_ids)
        more = f" These stay as they are: {stay}." if stay else ""
        return [context(f"{groups.why_not or NO_GROUPS}{more}")]
    element: Block = {
        "type": "multi_external_select",
        "action_id": GROUPS_FIELD,
        "min_query_length": 0,
        "max_selected_items": MAX_GROUPS,
        "placeholder": plain_text("Type a handle or a name", 150),
    }
    known = {group.group_id: group for group in groups.known}
    shown = {each: _shown(known.get(each)) for each in named.group_ids[:MAX_GROUPS]}
    if shown:
        element["initial_options"] = [option(*each) for each in shown.items()]
    idle = any(each not in known or known[each].is_disabled for each in shown)
    warning = "⚠️ A user group that is deleted or disabled makes nobody a manager. Take it out."
    box = field(GROUPS_BLOCK, "User groups", element, optional=True)
    return [box, *([context(warning)] if idle else [])]


def _shown(group: NameableGroup | None) -> str:
    if group is None:
        return "a deleted user group"
    return f"@{group.handle} (disabled)" if group.is_disabled else f"@{group.handle}"
