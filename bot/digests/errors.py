"""Why something cannot be done with a digest.

BotError
├── UnknownDigestError       it was deleted meanwhile
├── TooManyDigestsError      the channel has as many as it may have
├── ChangedMeanwhileError    somebody else was faster; `digest` is how it is now
├── DigestBusyError          it is being sent at this moment
├── JustSentError            somebody sent it moments ago, `at`
├── LostClaimError           another worker has taken the run over, or it is no longer wanted
├── StoppedError             the bot stops: another process is to take it up
├── NotInChannelError        whoever asks is not in that channel
├── BotNotInChannelError     the bot is not in it: `/invite`
├── AdminsOnlyError          this workspace lets only its admins change digests
└── GuestError               whoever asks is a guest of the workspace
"""

from datetime import datetime

from bot.digests.digest import Digest
from bot.errors import BotError


class UnknownDigestError(BotError):
    """There is no such digest (any more)."""


class TooManyDigestsError(BotError):
    """The channel has `MAX_PER_CHANNEL` digests already."""


class ChangedMeanwhileError(BotError):
    """Somebody has changed the digest since it was shown; `digest` is how it is now."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        super().__init__("changed meanwhile")


class DigestBusyError(BotError):
    """The digest is being sent at this moment."""


class JustSentError(BotError):
    """Somebody pressed `Send now` moments ago; it was sent `at`."""

    def __init__(self, at: datetime) -> None:
        self.at = at
        super().__init__("sent moments ago")


class LostClaimError(BotError):
    """The run is no longer this worker's: taken over after its claim ended, or called off."""


class StoppedError(BotError):
    """The bot stops before this was begun: another process is to take it up."""


class NotInChannelError(BotError):
    """Whoever asks is not in the channel, or it cannot be seen by them."""


class BotNotInChannelError(BotError):
    """The bot is not in the channel, so it cannot post there."""


class AdminsOnlyError(BotError):
    """In this workspace only admins and owners may make and change digests."""


class GuestError(BotError):
    """The person is a guest of the workspace: those have no business with its domains."""
