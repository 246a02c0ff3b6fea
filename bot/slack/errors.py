"""What can go wrong when the bot asks Slack, split by what can be done about it.

SlackError
├── SlackUnavailableError     no usable answer: it may have been done all the same
│   ├── SlackUnreachableError   ...surely not: nothing was sent, so a later try is safe
│   └── SlackRateLimitedError   ...surely not: and Slack said when, in `retry_after_s`
├── TriggerExpiredError       the press is too old to open a form: press again
├── FormChangedError          the form is no longer what it was: look again
└── SlackRefusedError         Slack said no, with a `code` of its own
    ├── BlocksRefusedError      ...to the blocks of a message: its plain twin may pass
    ├── ChannelClosedError      ...for this one channel, until somebody changes it
    ├── PersonUnreachableError  ...for this one person
    ├── WorkspaceHeldError      ...for the whole workspace: try again in hours
    ├── TokenRefusedError       ...to the bot's token: it was probably uninstalled
    └── MissingScopeError       ...until it is installed anew with the scope `needed`

`is_outcome_unknown` tells whether it may have been done: then nothing repeats it by itself.
"""

from typing import ClassVar

from bot.errors import BotError
from bot.slack import codes


class SlackError(BotError):
    """Any failure to get something done in Slack."""

    is_outcome_unknown: ClassVar[bool] = False


class SlackUnavailableError(SlackError):
    """Slack timed out, failed on its side, or answered nothing that can be read."""

    is_outcome_unknown = True


class SlackUnreachableError(SlackUnavailableError):
    """There was no connection to Slack: what was to be done has not been asked for."""

    is_outcome_unknown = False


class SlackRateLimitedError(SlackUnavailableError):
    """Slack asked us to slow down, and did nothing."""

    is_outcome_unknown = False

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Slack's rate limit: {retry_after_s:g} s")


class TriggerExpiredError(SlackError):
    """A form can only be opened within 3 s of a press, and once."""


class FormChangedError(SlackError):
    """A form was replaced since it was looked at.

    https://docs.slack.dev/surfaces/modals#handling_race_conditions
    """


class SlackRefusedError(SlackError):
    """Slack refused a call; `code` is its own word for why."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"Slack refused: {code}")


class BlocksRefusedError(SlackRefusedError):
    """Slack does not take these blocks, here or not yet."""


class ChannelClosedError(SlackRefusedError):
    """This channel is archived, gone, without the bot, or closed to it by a preference."""


class PersonUnreachableError(SlackRefusedError):
    """This person has left, is a bot, or cannot be seen by the bot."""


class WorkspaceHeldError(SlackRefusedError):
    """Nobody can post in the workspace: it moves, is over its limit, or its admins forbid it."""


class TokenRefusedError(SlackRefusedError):
    """Slack does not take the bot's token, or no longer."""


class MissingScopeError(SlackRefusedError):
    """The bot was installed without a scope; `needed` names it, or is empty."""

    def __init__(self, needed: str = "") -> None:
        self.needed = needed
        super().__init__(codes.MISSING_SCOPE)


_REFUSALS: tuple[tuple[frozenset[str], type[SlackRefusedError]], ...] = (
    (codes.BLOCKS, BlocksRefusedError),
    (codes.CHANNEL, ChannelClosedError),
    (codes.PERSON, PersonUnreachableError),
    (codes.WORKSPACE, WorkspaceHeldError),
    (codes.TOKEN, TokenRefusedError),
)


def slack_error(code: str, *, retry_after_s: float = 1, needed: str = "") -> SlackError:
    """Return the error for one of Slack's codes; `needed` is the scope that it names, if any."""
    if code in codes.TOO_FAST:
        return SlackRateLimitedError(retry_after_s)
    if code in codes.OUTAGES:
        return SlackUnavailableError(code)
    if code in codes.TRIGGERS:
        return TriggerExpiredError(code)
    if code == codes.FORM_CHANGED:
        return FormChangedError(code)
    return MissingScopeError(needed) if code == codes.MISSING_SCOPE else _refusal(code)


def _refusal(code: str) -> SlackRefusedError:
    for known, kind in _REFUSALS:
        if code in known:
            return kind(code)
    is_for_channel = code.startswith(codes.CHANNEL_PREFIXES)
    return ChannelClosedError(code) if is_for_channel else SlackRefusedError(code)
