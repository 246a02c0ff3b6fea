"""What can go wrong when people manage the workspace's key, each with a sentence in the views."""

from bot.errors import BotError, NotAllowedError


class NotAManagerError(NotAllowedError):
    """Only admins, owners and the managers that they named may do this.

    `managers` are ids of people and user groups. `is_in_organisation`: so is the workspace, and
    then Slack may not say who its own admins are.
    """

    def __init__(
        self, managers: tuple[str, ...] = (), *, is_in_organisation: bool = False
    ) -> None:
        self.managers = managers
        self.is_in_organisation = is_in_organisation
        super().__init__("neither admin nor manager")


class NotAnAdminError(NotAllowedError):
    """Only admins and owners may do this, managers may not."""

    def __init__(self, why: str = "no admin", *, is_in_organisation: bool = False) -> None:
        self.is_in_organisation = is_in_organisation
        super().__init__(why)


class ManagersUnknownError(BotError):
    """Slack did not say who is in a user group that is a manager, so nothing was done.

    `managers` as in `NotAManagerError`. `lacks_scope`: it never will, without `usergroups:read`.
    """

    def __init__(self, managers: tuple[str, ...] = (), *, lacks_scope: bool = False) -> None:
        self.managers = managers
        self.lacks_scope = lacks_scope
        super().__init__("nobody knows who is in the group")


class UnfitManagerError(BotError):
    """Somebody was named who can be no manager: a guest, a bot, of elsewhere, or gone."""

    def __init__(self, user_ids: tuple[str, ...] = ()) -> None:
        self.user_ids = user_ids
        super().__init__("a guest, a bot, a stranger, or gone")


class UnfitGroupError(BotError):
    """A user group was named that the workspace does not have, or that is disabled."""


class EarlierKeyRefusedError(BotError):
    """The service does not take the earlier key, so it was not put in the place of the other."""
