"""What people read when they may not manage the key, or when it is not as they thought. Pure."""

from collections.abc import Callable
from typing import Any

from bot.admin.errors import (
    EarlierKeyRefusedError,
    ManagersUnknownError,
    NotAManagerError,
    NotAnAdminError,
    UnfitGroupError,
    UnfitManagerError,
)
from bot.errors import NotAllowedError, StrangerError
from bot.keys import KeyInUseError, NoEarlierKeyError, OtherKeyError
from bot.message import Message
from bot.views.facts import Facts
from bot.views.managers import names_text
from bot.views.retry import plain_message, retry_message


def _not_allowed(_error: NotAllowedError, _facts: Facts) -> Message:
    return plain_message("Only admins and owners of this workspace can manage the API key.")


def _not_a_manager(error: NotAManagerError, _facts: Facts) -> Message:
    named = names_text(error.managers)
    who = f"these managers: {named}" if named else "managers whom they name"
    return plain_message(
        f"Only admins and owners of this workspace, and {who}, can manage the API key. Please ask"
        " one of them."
        f"{_organisation_text(is_in_organisation=error.is_in_organisation)}"
    )


def _not_an_admin(error: NotAnAdminError, _facts: Facts) -> Message:
    return plain_message(
        "Only admins and owners of this workspace can say who its managers are."
        f"{_organisation_text(is_in_organisation=error.is_in_organisation)}"
    )


def _organisation_text(*, is_in_organisation: bool) -> str:
    if not is_in_organisation:
        return ""
    return (
        " In an organisation Slack may not tell me who administers a single workspace: whoever"
        " administers the whole organisation can name you a manager, with `/domainkey`."
    )


def _managers_unknown(error: ManagersUnknownError, facts: Facts) -> Message:
    groups = names_text([each for each in error.managers if each.startswith("S")])
    of_whom = f"the user groups that are managers ({groups})" if groups else "a user group"
    unsaid = f"Slack did not say who is in {of_whom}, so I cannot know whether you may do this."
    if error.lacks_scope:
        return plain_message(
            f"{unsaid} I lack the permission `usergroups:read`: an admin can install the app"
            " again with it, or name you yourself with `/domainkey`."
        )
    return retry_message(f"{unsaid} Nothing was changed. Admins and owners can do it.", facts)


def _unfit(error: UnfitManagerError, _facts: Facts) -> Message:
    named = ", ".join(f"<@{user_id}>" for user_id in error.user_ids) or "Somebody"
    return plain_message(
        f"{named} cannot be a manager: guests, bots, people of other workspaces and closed"
        " accounts cannot."
    )


def _unfit_group(_error: UnfitGroupError, _facts: Facts) -> Message:
    return plain_message(
        "One of these user groups is deleted or disabled, so it cannot be a manager. Pick another"
        " one, or put it into use again in Slack first."
    )


def _key_in_use(_error: KeyInUseError, _facts: Facts) -> Message:
    return plain_message("That key is in use already. Nothing was changed.")


def _no_earlier_key(_error: NoEarlierKeyError, _facts: Facts) -> Message:
    return plain_message(
        "That key is no longer kept, so I cannot roll back to it. Nothing was changed. Look again"
        " with `/domainkey`."
    )


def _other_key(_error: OtherKeyError, _facts: Facts) -> Message:
    return plain_message(
        "The key was replaced meanwhile. Nothing was changed. Look again with `/domainkey`."
    )


def _earlier_refused(_error: EarlierKeyRefusedError, _facts: Facts) -> Message:
    return plain_message(
        "Domain Tracker does not accept the key before any more: it was probably deleted there, or"
        " has expired. Nothing was changed: the key in use stays."
    )


def _stranger(_error: StrangerError, _facts: Facts) -> Message:
    return plain_message("Only members of the workspace that this bot belongs to can use it.")


ADMIN_TROUBLES: dict[type[BaseException], Callable[[Any, Facts], Message]] = {
    NotAllowedError: _not_allowed,
    NotAManagerError: _not_a_manager,
    NotAnAdminError: _not_an_admin,
    ManagersUnknownError: _managers_unknown,
    UnfitManagerError: _unfit,
    UnfitGroupError: _unfit_group,
    KeyInUseError: _key_in_use,
    NoEarlierKeyError: _no_earlier_key,
    OtherKeyError: _other_key,
    EarlierKeyRefusedError: _earlier_refused,
    StrangerError: _stranger,
}
