import re
from collections.abc import Iterator
from datetime import date

import pytest

import bot.app.main  # noqa: F401  # so that every error there is has been defined
from bot.digests.models import EditConflictError
from bot.dispatch.command_text import NotUnderstood, NotUnderstoodError
from bot.dispatch.failure import HOST_PROBLEMS
from bot.domains.adding import AlreadyAddedError, UncertainAddError
from bot.domains.lookup import UnknownDomainError
from bot.keys.key_record import NoKeyError, OtherPortfolioError
from bot.keys.views import CHECK_KEY, SET_KEY
from bot.keys.workspace_tracker import LackingScopeError
from bot.process.errors import BotError
from bot.scans.bulk_record import BulkScan, BulkScanRunsError
from bot.scans.service import NoDomainIdError
from bot.slack.errors import (
    BlocksRefusedError,
    ChannelClosedError,
    MissingScopeError,
    PersonUnreachableError,
    SlackRateLimitedError,
    SlackRefusedError,
    TokenRefusedError,
)
from bot.store.documents import (
    StoreLockedError,
    UnreadableSecretError,
    WrongKeyRingError,
)
from bot.tracker.hostnames import HostNameError, HostProblem
from bot.tracker.models import (
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    RejectedError,
    ReserveReachedError,
    TimedOutError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.tracker.rate_limit import Allowance
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.blocks.test_words import UNSAID, too_long
from tests.builders import (
    ADMIN_ID,
    HOSTILE_TEXTS,
    KEY,
    MOMENT,
    a_domain,
    a_key_record,
    facts_for,
    facts_for_admin,
    failure_message,
)
from tests.digests.builders import a_digest
from tests.loops import loop_over

FOR_THE_LOG = "only for the log"
# Errors that cannot be made without data; the others are made with a text for the log.
MADE: dict[type[BotError], BotError] = {
    type(error): error
    for error in (
        HostNameError(HostProblem.SINGLE_LABEL, "localhost"),
        NotUnderstoodError([NotUnderstood("x:y")], []),
        OtherPortfolioError(150, 19),
        UnknownDomainError("shpo.example", ["shop.example"]),
        AlreadyAddedError(a_domain()),
        BulkScanRunsError(BulkScan(run_id="r1", asked_by=ADMIN_ID)),
        UncertainAddError("shop.example"),
        LackingScopeError("add"),
        RateLimitedError(40),
        ReserveReachedError(40),
        RejectedError(409, "Domain already exists"),
        UnavailableError(is_outcome_unknown=True, status=503),
        UnreadableReplyError(status=200),
        TimedOutError(is_outcome_unknown=True),
        SlackRateLimitedError(40),
        SlackRefusedError("not_in_channel"),
        BlocksRefusedError("invalid_blocks"),
        ChannelClosedError("not_in_channel"),
        PersonUnreachableError("user_disabled"),
        TokenRefusedError("account_inactive"),
        MissingScopeError("usergroups:read"),
        EditConflictError(a_digest(changed_by=ADMIN_ID, changed_at=MOMENT)),
    )
}
UNFORESEEN = failure_message(RuntimeError("boom"), facts_for()).text


def kinds(root: type[BotError] = BotError) -> Iterator[type[BotError]]:
    """Walk over every error of the bot; those of tests are none."""
    if root.__module__.startswith("bot."):
        yield root
        for child in root.__subclasses__():
            yield from kinds(child)


KINDS = sorted(set(kinds()), key=lambda kind: f"{kind.__module__}.{kind.__name__}")


def an_allowance() -> Allowance:
    return Allowance(remaining=40, age_s=5, highest_seen=1_000)


def an_error(kind: type[BotError]) -> BotError:
    error = MADE.get(kind) or kind()
    error.args = (FOR_THE_LOG,)
    return error


# Those of the store that come at the start alone, or ask the same of people.
ALIKE = {StoreLockedError, WrongKeyRingError}
SAID = [kind for kind in KINDS if kind not in ALIKE]


@loop_over("kind", SAID, ids=lambda kind: kind.__name__)
def test_every_error_has_a_sentence_of_its_own(kind: type[BotError]) -> None:
    text = {each: failure_message(an_error(each), facts_for()).text for each in SAID}

    own = text.pop(kind)
    assert own != UNFORESEEN
    assert own not in text.values()


@loop_over("is_admin", [True, False], ids=["admin", "member"])
@loop_over("kind", [*KINDS, RuntimeError], ids=lambda kind: kind.__name__)
def test_every_answer_fits_slack(kind: type[Exception], is_admin: bool) -> None:
    error = an_error(kind) if issubclass(kind, BotError) else kind(FOR_THE_LOG)
    for facts in (
        facts_for(is_admin=is_admin),
        facts_for(is_admin=is_admin, command_line=None, reference=""),
        facts_for(is_admin=is_admin, key=a_key_record(), allowance=an_allowance(), is_kept=True),
    ):
        message = failure_message(error, facts)

        assert_slack_takes(message)
        assert FOR_THE_LOG not in shown_text(message)
        assert "Error" not in shown_text(message)
        assert too_long(message.as_args()["blocks"]) == []
        assert not UNSAID.search(message.text)


ADMINS_READ_MORE = [
    NoKeyError,
    InvalidKeyError,
    LackingScopeError,
    IpNotAllowedError,
    RateLimitedError,
    UnreadableSecretError,
]
ONLY_ADMINS_MEND = {
    *(NoKeyError, InvalidKeyError, LackingScopeError, IpNotAllowedError, UnreadableSecretError)
}


@loop_over("kind", ADMINS_READ_MORE, ids=lambda kind: kind.__name__)
def test_an_admin_reads_something_else_than_a_member(kind: type[BotError]) -> None:
    member = failure_message(an_error(kind), facts_for(key=a_key_record()))
    admin = failure_message(an_error(kind), facts_for_admin(key=a_key_record()))

    assert shown_text(member) != shown_text(admin)
    is_asking = "Please ask a workspace admin or owner" in member.text
    assert is_asking is (kind in ONLY_ADMINS_MEND)
    assert not (is_asking and buttons(member))


def told_to_admin(error: Exception, **facts: object) -> str:
    message = failure_message(error, facts_for_admin(**facts))
    assert_slack_takes(message)
    return shown_text(message)


@loop_over(
    ("expires_on", "why"),
    [
        (date(2030, 3, 1), "It expired on 1 Mar 2030."),
        (date(2030, 3, 2), "It was probably deleted or revoked, or it has expired."),
        (None, "It was probably deleted or revoked, or it has expired."),
    ],
)
def test_an_invalid_key_says_why_that_is_likely(expires_on: date | None, why: str) -> None:
    facts = facts_for_admin(key=a_key_record(expires_on=expires_on))
    message = failure_message(InvalidKeyError(), facts)

    assert why in message.text
    ids = [element["action_id"] for element in message.blocks[-1]["elements"]]
    assert ids == [SET_KEY, CHECK_KEY]


@loop_over(
    ("operation", "may_not", "needs"),
    [
        ("list", "may not list domains", "It needs the scope `read_domains`"),
        ("add", "may not add domains", "It needs the scope `write_domains`"),
        ("scan", "may not scan domains", "It needs a wider scope"),
    ],
)
def test_a_missing_scope_is_explained(operation: str, may_not: str, needs: str) -> None:
    text = told_to_admin(LackingScopeError(operation), key=a_key_record())
    member = failure_message(LackingScopeError(operation), facts_for())

    assert may_not in text
    assert may_not in member.text
    assert "ask a workspace admin or owner to set a key with a wider scope" in member.text
    assert f"{needs} (recorded scopes: `read_domains`)." in text
    assert "1. Make a new key" in text
    assert "`" not in member.text


def test_a_refused_address_shows_which_to_allow() -> None:
    text = told_to_admin(IpNotAllowedError(), egress_addresses=("192.0.2.1", "2001:db8::/32"))

    assert "Add `192.0.2.1`, `2001:db8::/32` to the key's IP restrictions" in text
    assert "EGRESS_IPS" in told_to_admin(IpNotAllowedError())


@loop_over("error", [RateLimitedError(61), ReserveReachedError(61)], ids=["refused", "reserve"])
def test_people_learn_of_the_wait_and_admins_of_the_usual_limit(error: BotError) -> None:
    text = failure_message(error, facts_for_admin(allowance=an_allowance())).text

    assert "Try again in 2 minutes." in text
    assert ("1,000 an hour per key" in text) is isinstance(error, RateLimitedError)
    member = failure_message(error, facts_for(allowance=an_allowance()))
    assert ADMIN_ID not in member.text
    assert buttons(member) == {"Try again": "/scan"}


@loop_over("error", [RateLimitedError(1), ReserveReachedError(57)], ids=["refused", "reserve"])
def test_without_requests_left_both_errors_name_the_time_of_the_next_try(error: BotError) -> None:
    none_left = Allowance(remaining=0, age_s=3, highest_seen=1_000)

    text = failure_message(error, facts_for(allowance=none_left)).text

    assert "Try again in 1 minute." in text
    assert "reserved for digests" not in text, "there is nothing to reserve"


@loop_over(
    "error",
    [UnavailableError(is_outcome_unknown=True, status=502), SlackRefusedError("no_text")],
    ids=repr,
)
def test_a_failure_of_others_has_a_reference(error: BotError) -> None:
    message = failure_message(error, facts_for())

    assert message.text.endswith("Reference cafe0001.")
    assert buttons(message) == {"Try again": "/scan"}


@pytest.mark.parametrize("error", [RejectedError(423), NoDomainIdError()])
def test_what_would_be_refused_again_has_no_other_try(error: BotError) -> None:
    assert buttons(failure_message(error, facts_for())) == {}


@loop_over("line", [None, f"/domains {KEY}"])
def test_what_cannot_be_run_again_has_no_other_try(line: str | None) -> None:
    error = TimedOutError(is_outcome_unknown=False)

    assert buttons(failure_message(error, facts_for(command_line=line))) == {}


def test_what_the_service_said_is_quoted_as_its_own_words() -> None:
    text = told_to_admin(RejectedError(409, "<!here> already *there*"))

    assert "It said: `&lt;!here&gt; already *there*`." in text
    assert "It said" not in told_to_admin(RejectedError(409))


@loop_over(
    ("error", "words"),
    [
        (MissingScopeError("usergroups:read"), "permission for this: usergroups:read. Please ask"),
        (MissingScopeError(), "lacks a Slack permission for this. Please ask an admin"),
    ],
)
def test_a_missing_permission_is_named_with_its_grantors(error: BotError, words: str) -> None:
    assert words in failure_message(error, facts_for()).text


@loop_over("problem", HostProblem)
def test_every_problem_with_a_name_has_a_sentence_of_its_own(problem: HostProblem) -> None:
    sentences = dict(HOST_PROBLEMS)

    own = sentences.pop(problem)
    assert re.fullmatch(r"[A-Z].*\.", own)
    assert own not in sentences.values()


def test_a_name_that_is_none_is_repeated_with_an_example_of_the_command() -> None:
    error = HostNameError(HostProblem.SINGLE_LABEL, "localhost")

    message = failure_message(error, facts_for(command_line="/scan localhost"))

    assert "`localhost` is not a domain name. Enter a full domain, such as" in shown_text(message)
    assert "For example: `/scan example.com`" in shown_text(message)
    assert buttons(message) == {}


def test_an_unknown_domain_offers_what_comes_near() -> None:
    message = failure_message(UnknownDomainError("shpo.example", ["shop.example"]), facts_for())

    assert message.text == "shpo.example is not in your portfolio. Did you mean shop.example?"
    assert buttons(message) == {
        "Scan shop.example": "/scan shop.example",
        "Add it": "/adddomain shpo.example",
        "All domains": "/domains",
    }
    alone = failure_message(UnknownDomainError("new.example", []), facts_for())
    assert alone.text == "new.example is not in your portfolio. You can add it."


def test_an_unknown_domain_is_offered_only_to_people_who_may_add() -> None:
    near = failure_message(
        UnknownDomainError("shpo.example", ["shop.example"]), facts_for(may_add=False)
    )
    alone = failure_message(UnknownDomainError("new.example", []), facts_for(may_add=False))

    assert list(buttons(near)) == ["Scan shop.example", "All domains"]
    assert list(buttons(alone)) == ["All domains"]
    assert alone.text == "new.example is not in your portfolio."


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_others_wrote_does_nothing(text: str) -> None:
    for error in (
        HostNameError(HostProblem.BAD_CHARACTERS, text),
        UnknownDomainError(text, [text, f"{text}2", f"{text}3"]),
        NotUnderstoodError([NotUnderstood(text, "why")] * 30, [text]),
        UncertainAddError(text),
        AlreadyAddedError(a_domain(text, tags=(text,), folder=text)),
        RejectedError(400, text),
        SlackRefusedError(text),
        ChannelClosedError(text),
        MissingScopeError(text),
        LackingScopeError("add"),
        IpNotAllowedError(),
        RuntimeError(text),
    ):
        record = a_key_record(label=text, scopes=(text,))
        for is_admin in (True, False):
            facts = facts_for(is_admin=is_admin, command_line=f"/scan {text}", key=record)
            assert_slack_takes(failure_message(error, facts))
