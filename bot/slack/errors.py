"""Errors of Slack, and Slack's error codes by what can be done about them. Plain data.

https://docs.slack.dev/reference/methods/chat.postMessage#errors,
https://docs.slack.dev/reference/methods/conversations.open#errors,
https://docs.slack.dev/reference/methods/views.update#errors
"""

from typing import ClassVar

from bot.process.errors import BotError

# The call may have taken effect: "some aspect of the operation succeeded before the error".
OUTAGES = {"internal_error", "fatal_error", "service_unavailable", "request_timeout"}
# HTTP 429 says the first, chat.postMessage itself the second.
TOO_FAST = {"ratelimited", "rate_limited"}
TRIGGERS = {
    *("expired_trigger_id", "trigger_expired", "exchanged_trigger_id", "trigger_exchanged"),
    "invalid_trigger_id",
}
# A preference of the channel, or of the organisations that share it.
CHANNEL_PREFIXES = ("restricted_action", "slack_connect_")
# Nothing can be posted anywhere in the workspace, until Slack or an admin changes that: as after
# a rate limit.
HELD_FOR_S = 3600.0
WORKSPACE = {
    *("access_denied", "accesslimited", "ekm_access_denied", "enterprise_is_restricted"),
    *("message_limit_exceeded", "org_login_required", "team_added_to_org"),
    "two_factor_setup_required",
}
MISSING_SCOPE = "missing_scope"
# The first is in the documentation, the second is what workspaces on the free plan answer.
NO_USER_GROUPS = {"plan_upgrade_required", "paid_teams_only"}


class SlackError(BotError):
    """A failed call of Slack."""

    is_outcome_unknown: ClassVar[bool] = False


class SlackUnavailableError(SlackError):
    """Slack timed out, failed, or sent an unreadable answer."""

    is_outcome_unknown = True


class SlackUnreachableError(SlackUnavailableError):
    """There was no connection to Slack: the request was not sent."""

    is_outcome_unknown = False


class SlackRateLimitedError(SlackUnavailableError):
    """Slack's rate limit: it did nothing."""

    is_outcome_unknown = False

    def __init__(self, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(f"Slack's rate limit: {retry_after_s:g} s")


class TriggerExpiredError(SlackError):
    """A trigger opens one form, within 3 s."""


class SlackRefusedError(SlackError):
    """Slack refused a call; `code` is Slack's error code."""

    def __init__(self, code: str) -> None:
        self.code = code
        super().__init__(f"Slack refused: {code}")


class BlocksRefusedError(SlackRefusedError):
    """Slack does not accept these blocks, here or not yet."""


class ChannelClosedError(SlackRefusedError):
    """This channel is archived, gone, without the bot, or closed to it by a preference."""


class PersonUnreachableError(SlackRefusedError):
    """This person has left, is a bot, or cannot be seen by the bot."""


class TokenRefusedError(SlackRefusedError):
    """Slack does not accept the bot's token."""


class MissingScopeError(SlackRefusedError):
    """The bot was installed without a scope; `needed` names it, or is empty."""

    def __init__(self, needed: str = "") -> None:
        self.needed = needed
        super().__init__(MISSING_SCOPE)


_REFUSALS: dict[type[SlackRefusedError], set[str]] = {
    # A second table in a message is reported as an invalid attachment. The last three are of
    # views: https://docs.slack.dev/reference/methods/views.publish#errors
    BlocksRefusedError: {
        *("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments"),
        *("invalid_arguments", "invalid_view", "view_too_large"),
    },
    # The bot cannot post in one channel. A private one that it is not in is "not found".
    ChannelClosedError: {
        *("channel_not_found", "channel_type_not_supported", "is_archived", "is_inactive"),
        *("method_not_supported_for_channel_type", "no_permission", "not_in_channel"),
    },
    PersonUnreachableError: {
        *("cannot_dm_bot", "invalid_user_combination", "user_disabled", "user_not_found"),
        *("user_not_visible", "users_not_found"),
    },
    TokenRefusedError: {
        *("account_inactive", "invalid_auth", "invalid_refresh_token", "not_authed"),
        *("team_access_not_granted", "token_expired", "token_revoked"),
    },
}


def slack_error(code: str, *, retry_after_s: float = 1, needed: str = "") -> SlackError:
    """Return the error for one of Slack's codes; `needed` is the missing scope."""
    if code in TOO_FAST:
        return SlackRateLimitedError(retry_after_s)
    if code in WORKSPACE:
        return SlackRateLimitedError(HELD_FOR_S)
    if code in OUTAGES:
        return SlackUnavailableError(code)
    if code in TRIGGERS:
        return TriggerExpiredError(code)
    if code == MISSING_SCOPE:
        return MissingScopeError(needed)
    other = ChannelClosedError if code.startswith(CHANNEL_PREFIXES) else SlackRefusedError
    return next((kind for kind, known in _REFUSALS.items() if code in known), other)(code)
