"""Errors of Slack, and Slack's error codes by what can be done about them. Plain data.

https://docs.slack.dev/reference/methods/chat.postMessage#errors,
https://docs.slack.dev/reference/methods/conversations.open#errors,
https://docs.slack.dev/reference/methods/views.update#errors
"""

from typing import ClassVar

from bot.errors import BotError

# It may have happened all the same: "some aspect of the operation succeeded before the error".
OUTAGES = frozenset({"internal_error", "fatal_error", "service_unavailable", "request_timeout"})
# HTTP 429 says the first, chat.postMessage itself the second.
TOO_FAST = frozenset({"ratelimited", "rate_limited"})
# A second table in a message is told as an attachment.
BLOCKS = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments"}
)
TRIGGERS = frozenset(
    {
        "expired_trigger_id",
        "trigger_expired",
        "exchanged_trigger_id",
        "trigger_exchanged",
        "invalid_trigger_id",
    }
)
FORM_CHANGED = "hash_conflict"
# One channel takes no posts of the bot. A private one that it is not in is "not found".
CHANNEL = frozenset(
    {
        "channel_not_found",
        "channel_type_not_supported",
        "is_archived",
        "is_inactive",
        "method_not_supported_for_channel_type",
        "no_permission",
        "not_in_channel",
    }
)
# A preference of the channel, or of the organisations that share it.
CHANNEL_PREFIXES = ("restricted_action", "slack_connect_")
PERSON = frozenset(
    {
        "cannot_dm_bot",
        "invalid_user_combination",
        "user_disabled",
        "user_not_found",
        "user_not_visible",
        "users_not_found",
    }
)
# Nothing can be posted anywhere in the workspace, until Slack or an admin changes that.
WORKSPACE = frozenset(
    {
        "access_denied",
        "accesslimited",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "message_limit_exceeded",
        "org_login_required",
        "team_added_to_org",
        "two_factor_setup_required",
    }
)
TOKEN = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "invalid_refresh_token",
        "not_authed",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
    }
)
MISSING_SCOPE = "missing_scope"
# The first is in the documentation, the second is what workspaces on the free plan answer.
NO_USER_GROUPS = frozenset({"plan_upgrade_required", "paid_teams_only"})


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
        super().__init__(MISSING_SCOPE)


_REFUSALS: tuple[tuple[frozenset[str], type[SlackRefusedError]], ...] = (
    (BLOCKS, BlocksRefusedError),
    (CHANNEL, ChannelClosedError),
    (PERSON, PersonUnreachableError),
    (WORKSPACE, WorkspaceHeldError),
    (TOKEN, TokenRefusedError),
)


def slack_error(code: str, *, retry_after_s: float = 1, needed: str = "") -> SlackError:
    """Return the error for one of Slack's codes; `needed` is the scope that it names, if any."""
    if code in TOO_FAST:
        return SlackRateLimitedError(retry_after_s)
    if code in OUTAGES:
        return SlackUnavailableError(code)
    if code in TRIGGERS:
        return TriggerExpiredError(code)
    if code == FORM_CHANGED:
        return FormChangedError(code)
    return MissingScopeError(needed) if code == MISSING_SCOPE else _refusal(code)


def _refusal(code: str) -> SlackRefusedError:
    for known, kind in _REFUSALS:
        if code in known:
            return kind(code)
    is_for_channel = code.startswith(CHANNEL_PREFIXES)
    return ChannelClosedError(code) if is_for_channel else SlackRefusedError(code)
