"""Which of Slack's words means what can be done about it."""

from collections.abc import Iterator

from bot.slack.errors import (
    BlocksRefusedError,
    ChannelClosedError,
    MissingScopeError,
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
    TokenRefusedError,
    TriggerExpiredError,
    slack_error,
)
from tests.loops import loop_over

CODES: dict[type[SlackError], tuple[str, ...]] = {
    SlackUnavailableError: ("internal_error", "fatal_error"),
    SlackRateLimitedError: ("ratelimited", "rate_limited", "team_added_to_org"),
    TriggerExpiredError: ("expired_trigger_id",),
    BlocksRefusedError: ("invalid_blocks", "invalid_attachments", "invalid_arguments"),
    ChannelClosedError: ("is_archived", "restricted_action_new", "slack_connect_blocked"),
    PersonUnreachableError: ("user_not_found",),
    TokenRefusedError: ("account_inactive",),
    MissingScopeError: ("missing_scope",),
    SlackRefusedError: ("new_word",),
}


def kinds(root: type[SlackError] = SlackError) -> Iterator[type[SlackError]]:
    yield root
    for child in root.__subclasses__():
        yield from kinds(child)


@loop_over(
    ("code", "kind"), [(code, kind) for kind, codes in CODES.items() for code in codes], ids=str
)
def test_every_code_of_slack_has_its_error(code: str, kind: type[SlackError]) -> None:
    error = slack_error(code)

    assert type(error) is kind
    assert not isinstance(error, SlackRefusedError) or error.code == code


def test_only_an_answer_that_failed_or_went_missing_leaves_the_outcome_open() -> None:
    unknown = {kind for kind in kinds() if kind.is_outcome_unknown}

    assert unknown == {SlackUnavailableError}
