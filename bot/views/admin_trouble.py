"""What people read when they may not manage the key, or when it is not as they thought. Pure."""

from collections.abc import Callable
from typing import Any

from bot.admin.errors import (
    EarlierKeyRefusedError,
    NotAManagerError,
    NotAnAdminError,
    UnfitManagerError,
)
from bot.errors import NotAllowedError, StrangerError
from bot.keys import KeyInUseError, NoEarlierKeyError, OtherKeyError
from bot.message import Message
from bot.views.facts import Facts
from bot.views.retry import plain_message


def _not_allowed(_error: NotAllowedError, _facts: Facts) -> Message:
    return plain_message("Only admins and owners of this workspace can manage the API key.")


def _not_a_manager(error: NotAManagerError, _facts: Facts) -> Message:
    named = ", ".join(f"<@{user_id}>" for user_id in error.managers)
    who = f"these managers: {named}" if named else "managers whom they name"
    return plain_message(f"Only admins and owners of this workspace, and {who}, can do that.")


def _not_an_admin(_error: NotAnAdminError, _facts: Facts) -> Message:
    return plain_message("Only admins and owners of this workspace can say who its managers are.")


def _unfit(error: UnfitManagerError, _facts: Facts) -> Message:
    named = ", ".join(f"<@{user_id}>" for user_id in error.user_ids) or "Somebody"
    return plain_message(
        f"{named} cannot be a manager: guests, bots, people of other workspaces and closed"
        " accounts cannot."
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
    UnfitManagerError: _unfit,
    KeyInUseError: _key_in_use,
    NoEarlierKeyError: _no_earlier_key,
    OtherKeyError: _other_key,
    EarlierKeyRefusedError: _earlier_refused,
    StrangerError: _stranger,
}
