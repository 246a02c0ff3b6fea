"""What people read when something cannot be done with a digest."""

from bot.digests import models
from bot.digests.errors import DIGEST_ERRORS, error_line
from bot.digests.views.modal import UNANNOUNCED, made_message
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError, NotAllowedError
from bot.tracker.models import InvalidKeyError, UnavailableError
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.builders import ADMIN_ID, facts_for, facts_for_admin, failure_message
from tests.digests.builders import DUE as CHANGED_AT
from tests.digests.builders import a_digest
from tests.loops import loop_over

CHANGED = a_digest(changed_by=ADMIN_ID, changed_at=CHANGED_AT)
ERRORS: list[tuple[BotError, str]] = [
    (models.UnknownAlertError(), "These buttons no longer work"),
    (models.UnknownDigestError(), "was deleted"),
    (models.TooManyDigestsError(), "can have 20 digests"),
    (models.NameTakenError(), "has that name"),
    (models.SameDigestError(), "has the same digest already"),
    (models.EditConflictError(CHANGED), f"<@{ADMIN_ID}> has changed this digest"),
    (models.DigestBusyError(), "is being sent now"),
    (models.LostClaimError(), "Another change came first"),
    (models.StoppedError(), "Nothing was done"),
    (models.NotInChannelError(), "Only members of a channel can see and change"),
    (models.BotNotInChannelError(), "Type `/invite @Domain Tracker` there"),
    (models.GuestError(), "Guests can't see or change digests"),
]


@loop_over(("error", "words"), ERRORS, ids=lambda each: type(each).__name__)
def test_each_trouble_with_a_digest_has_a_sentence(error: BotError, words: str) -> None:
    message = DIGEST_ERRORS[type(error)](error, facts_for())

    assert_slack_takes(message)
    assert words in shown_text(message)


def test_no_trouble_is_left_out() -> None:
    ours = {each for each in vars(models).values() if isinstance(each, type)}
    known = {each for each in ours if issubclass(each, BotError)} - {BotError}

    assert known <= set(DIGEST_ERRORS)
    assert {type(error) for error, _ in ERRORS} == set(DIGEST_ERRORS)


def test_in_a_form_a_failure_is_one_line_without_buttons() -> None:
    error, facts = UnavailableError(is_outcome_unknown=False), facts_for()

    line = error_line(failure_message(error, facts), "*Not saved.* ")

    text = "Domain Tracker is unavailable. Try again shortly."
    assert line == f"⚠️ *Not saved.* {text} Reference {facts.reference}."


def test_a_form_tells_an_admin_where_to_set_the_key() -> None:
    assert "`/domainkey`" in error_line(failure_message(NoKeyError(), facts_for_admin()))
    text = error_line(failure_message(NoKeyError(), facts_for()))
    assert text.count("`/domainkey`") == 1
    refused = failure_message(InvalidKeyError(), facts_for())
    assert "`/domainkey`" in error_line(refused, is_about_key=True)
    assert "Type" not in error_line(failure_message(NotAllowedError(), facts_for()))


def test_a_digest_made_by_one_press_is_managed_and_deleted_from_the_answer() -> None:
    how = {"has_outsiders": False, "is_line": False}
    message = made_message(a_digest(), "UTC", is_announced=True, **how)
    doubtful = made_message(a_digest(), "UTC", is_announced=False, **how)

    assert_slack_takes(message)
    assert list(buttons(message)) == ["Manage", "Delete"]
    assert UNANNOUNCED not in shown_text(message)
    assert UNANNOUNCED in shown_text(doubtful)
