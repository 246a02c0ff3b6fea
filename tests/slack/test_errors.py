"""Which of Slack's words means what can be done about it."""

from collections.abc import Iterator

from bot.slack.errors import (
    BlocksRefusedError,
    ChannelClosedError,
    FormChangedError,
    MissingScopeError,
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
    TokenRefusedError,
    TriggerExpiredError,
    WorkspaceHeldError,
    slack_error,
)
from tests.loops import loop_over

CODES: dict[type[SlackError], tuple[str, ...]] = {
    SlackUnavailableError: (
        *("internal_error", "fatal_error", "service_unavailable", "request_timeout"),
    ),
    SlackRateLimitedError: ("ratelimited", "rate_limited"),
    TriggerExpiredError: ("expired_trigger_id", "exchanged_trigger_id"),
    FormChangedError: ("hash_conflict",),
    BlocksRefusedError: (
        *("invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_attachments"),
    ),
    ChannelClosedError: (
        *("is_archived", "channel_not_found", "not_in_channel", "no_permission", "is_inactive"),
        *("restricted_action", "restricted_action_read_only_channel", "restricted_action_new"),
        *("restricted_action_thread_only_channel", "slack_connect_file_link_sharing_blocked"),
    ),
    PersonUnreachableError: (
        *("user_disabled", "user_not_found", "user_not_visible", "users_not_found"),
        *("cannot_dm_bot", "invalid_user_combination"),
    ),
    WorkspaceHeldError: (
        *("accesslimited", "access_denied", "team_added_to_org", "org_login_required"),
        *("message_limit_exceeded", "ekm_access_denied", "enterprise_is_restricted"),
        "two_factor_setup_required",
    ),
    TokenRefusedError: (
        *("account_inactive", "token_revoked", "invalid_auth", "not_authed", "token_expired"),
        "team_access_not_granted",
    ),
    MissingScopeError: ("missing_scope",),
    SlackRefusedError: ("invalid_arguments", "no_text", "msg_too_long", "not_found", "new_word"),
}


def kinds(root: type[SlackError] = SlackError) -> Iterator[type[SlackError]]:
    yield root
    for child in root.__subclasses__():
        yield from kinds(child)


@loop_over(
    ("code", "kind"), [(code, kind) for kind, codes in CODES.items() for code in codes], ids=str
)
def test_every_word_of_slack_is_the_error_by_which_one_can_act(
    code: str, kind: type[SlackError]
) -> None:
    error = slack_error(code)

    assert type(error) is kind
    assert not isinstance(error, SlackRefusedError) or error.code == code


def test_only_an_answer_that_failed_or_went_missing_leaves_the_outcome_open() -> None:
    unknown = {kind for kind in kinds() if kind.is_outcome_unknown}

    assert unknown == {SlackUnavailableError}
