"""Slack's words for why it said no, sorted by what can be done about them. Plain data.

https://docs.slack.dev/reference/methods/chat.postMessage#errors,
https://docs.slack.dev/reference/methods/conversations.open#errors,
https://docs.slack.dev/reference/methods/views.update#errors
"""

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
