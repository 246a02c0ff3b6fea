"""What can go wrong when people manage the workspace's key, each with a sentence in the views."""

from bot.errors import BotError, NotAllowedError


class NotAManagerError(NotAllowedError):
    """Only admins, owners and the managers that they named may do this."""

    def __init__(self, managers: tuple[str, ...] = ()) -> None:
        self.managers = managers
        super().__init__("neither admin nor manager")


class NotAnAdminError(NotAllowedError):
    """Only admins and owners may do this, managers may not."""


class UnfitManagerError(BotError):
    """Somebody was named who can be no manager: a guest, a bot, of elsewhere, or gone."""

    def __init__(self, user_ids: tuple[str, ...] = ()) -> None:
        self.user_ids = user_ids
        super().__init__("a guest, a bot, a stranger, or gone")


class EarlierKeyRefusedError(BotError):
    """The service does not take the earlier key, so it was not put in the place of the other."""
