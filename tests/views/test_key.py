from datetime import date, timedelta

import pytest

from bot.errors import NotAllowedError
from bot.keys import SCOPES
from bot.tracker.budget import BudgetState
from bot.tracker.errors import (
    InsufficientPermissionsError,
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    UnavailableError,
)
from bot.views.key import (
    checked_message,
    expiry_text,
    key_state_message,
    operation_text,
    removed_message,
    saved_message,
    typed_key_message,
)
from bot.views.key_form import (
    EXPIRIES,
    EXPIRY_BLOCK,
    EXPIRY_DAY_BLOCK,
    LABEL_BLOCK,
    MAX_LABEL_CHARS,
    PROPOSED_LABEL,
    SCOPES_BLOCK,
    SECRET_BLOCK,
    KeyFormValues,
    checking_form,
    key_form,
    refused_form,
    saved_form,
)
from bot.views.key_trouble import draft_trouble, refusal_notice
from tests.builders import HOSTILE_TEXTS, MOMENT, TODAY, a_key_record, facts_for_admin
from tests.views.acceptance import (
    Json,
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown,
    shown_text,
)

SHORT = a_key_record().shown  # service_sk_…, and the last four characters


def fields_of(form: Json) -> dict[str, Json]:
    return {block["block_id"]: block for block in form["blocks"] if block["type"] == "input"}


def test_an_admin_without_a_key_is_told_how_to_make_one() -> None:
    message = key_state_message(None, None, TODAY)

    assert_slack_takes(message)
    assert message.text == "This workspace is not connected to Domain Tracker yet."
    assert "one for this bot alone" in shown_text(message)
    assert set(buttons(message)) == {"Set key", "Managers", "History"}


def test_the_state_of_a_key_shows_everything_but_the_key() -> None:
    record = a_key_record(label="CI *key*", expires_on=TODAY + timedelta(days=75))

    message = key_state_message(record, BudgetState(remaining=9_876), TODAY)

    assert_slack_takes(message)
    told = shown_text(message)
    assert f"*Key*\n`{SHORT}`" in told
    assert "*Label*\n`CI *key*`" in told
    assert "*Expires*\n15 May 2030 (in 75 days)" in told
    assert "*Scopes*\n`read_domains`" in told
    assert "by <@U0ADMIN>, <!date^" in told
    assert "9,876 in this hour, as last told" in told
    assert message.text == (
        f"API key {SHORT} works. Expires: 15 May 2030 (in 75 days). Scopes: read_domains."
        " Requests left: 9,876 in this hour, as last told."
    )


def test_a_key_can_be_replaced_checked_and_removed_after_a_question() -> None:
    message = key_state_message(a_key_record(), None, TODAY)

    assert list(buttons(message)) == [
        *("Replace key", "Rotate key", "Check key"),
        *("Managers", "History", "Remove key"),
    ]
    remove = next(e for e in message.blocks[-1]["elements"] if "confirm" in e)
    assert remove["text"]["text"] == "Remove key"
    assert "Commands stop working" in remove["confirm"]["text"]["text"]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({}, "works"),
        ({"refused_at": MOMENT}, "refused as invalid"),
        ({"lacks": ("add", "scan")}, "works, but may not add domains, scan domains"),
        ({"lacks": ("dance",)}, "works, but may not dance"),
    ],
    ids=["works", "refused", "lacks scopes", "another operation"],
)
def test_the_state_is_said_in_words(state: dict[str, object], words: str) -> None:
    message = key_state_message(a_key_record(**state), None, TODAY)  # type: ignore[arg-type]  # by name

    assert message.text.startswith(f"API key {SHORT} {words}. Expires: not known.")
    assert f"*Domain Tracker API key: {words}*" in shown_text(message)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (None, "not known yet"),
        (BudgetState(), "not known yet"),
        (BudgetState(remaining=0), "0 in"),
    ],
    ids=["never asked", "not told", "none left"],
)
def test_what_nobody_told_is_not_guessed(budget: BudgetState | None, told: str) -> None:
    shown = shown_text(key_state_message(a_key_record(scopes=()), budget, TODAY))

    assert f"*Requests left*\n{told}" in shown
    assert "*Scopes*\nnot said" in shown
    assert "*Expires*\nnot known" in shown


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, "28 Feb 2030 (expired)"),
        (0, "1 Mar 2030 (today)"),
        (1, "2 Mar 2030 (in 1 day)"),
        (365, "1 Mar 2031 (in 365 days)"),
    ],
)
def test_an_expiration_is_said_with_what_is_left(days: int, words: str) -> None:
    assert expiry_text(TODAY + timedelta(days=days), TODAY) == words
    assert expiry_text(None, TODAY) == "not known"


@pytest.mark.parametrize("day", [date.min, date.max])
def test_any_day_can_be_shown(day: date) -> None:
    assert_slack_takes(key_state_message(a_key_record(expires_on=day), None, TODAY))


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_an_admin_typed_does_nothing(text: str) -> None:
    record = a_key_record(label=text, scopes=(text,) * 9, lacks=("add", "scan"))

    assert_slack_takes(key_state_message(record, None, TODAY))
    assert_slack_takes(refusal_notice(record))


@pytest.mark.parametrize(
    "trouble", [None, "Why not.", "x" * 5_000], ids=["first", "again", "long"]
)
@pytest.mark.parametrize("expiry", EXPIRIES)
def test_slack_takes_the_form(expiry: str, trouble: str | None) -> None:
    values = KeyFormValues(
        label="&" * MAX_LABEL_CHARS,
        expiry=expiry,
        expiry_day="2030-03-01" if expiry == "date" else None,
        scopes=SCOPES if trouble else (),
    )

    assert_slack_takes_form(key_form("x" * 3_000, values, trouble))


def test_the_form_proposes_a_name_of_its_own_an_expiration_and_the_scopes() -> None:
    fields = fields_of(key_form("meta", KeyFormValues()))

    assert fields[LABEL_BLOCK]["element"]["initial_value"] == PROPOSED_LABEL
    assert fields[EXPIRY_BLOCK]["element"]["initial_option"]["value"] == "90"
    chosen = [each["value"] for each in fields[SCOPES_BLOCK]["element"]["initial_options"]]
    assert chosen == ["read_domains", "write_domains"]
    assert fields[EXPIRY_DAY_BLOCK]["optional"] is True


def test_the_form_never_holds_a_key() -> None:
    secret = fields_of(key_form("meta", KeyFormValues(), "Mistyped."))[SECRET_BLOCK]

    assert set(secret["element"]) == {"type", "action_id", "placeholder", "focus_on_load"}
    assert secret["optional"] is False


def test_the_form_says_why_the_last_try_was_not_saved() -> None:
    told = "\n".join(shown(key_form("meta", KeyFormValues(label="CI"), "Mistyped.")))

    assert "⚠️ *Not saved.* Mistyped. Please enter the key again." in told


def test_what_stands_in_the_place_of_the_form_is_taken_too() -> None:
    for form in (
        checking_form(),
        saved_form(a_key_record(), 1),
        refused_form("Only admins."),
        refused_form("x" * 5_000),
    ):
        assert_slack_takes_form(form)


def test_a_saved_key_says_what_it_sees() -> None:
    assert f"`{SHORT}` works and is saved. It sees 1 domain." in "".join(
        shown(saved_form(a_key_record(), 1))
    )
    assert saved_message(a_key_record(), 10_000).text == (
        f"{SHORT} works and is saved. It sees 10,000 domains."
    )
    assert checked_message(a_key_record(), 0).text == f"{SHORT} works: it sees 0 domains."


def test_the_answers_about_a_key_are_taken() -> None:
    for message in (
        saved_message(a_key_record(), 5),
        checked_message(a_key_record(), 5),
        removed_message(was_there=True),
        removed_message(was_there=False),
        refusal_notice(a_key_record()),
    ):
        assert_slack_takes(message)


def test_removing_reminds_of_the_other_end() -> None:
    assert "Delete it in Domain Tracker too" in removed_message(was_there=True).text
    assert removed_message(was_there=False).text == "There was no key to remove."


@pytest.mark.parametrize("may_set", [True, False])
@pytest.mark.parametrize("looks_like_key", [True, False])
def test_a_key_behind_the_command_sends_to_the_form(looks_like_key: bool, may_set: bool) -> None:
    message = typed_key_message(looks_like_key=looks_like_key, may_set=may_set)

    assert_slack_takes(message)
    assert "keys are set in a private form, never behind the command" in message.text
    assert ("treat it as exposed" in message.text) == looks_like_key
    assert ("Only admins" in message.text) == (not may_set)
    assert ("Set key" in buttons(message)) == may_set


def test_operations_are_said_in_words() -> None:
    assert [operation_text(name) for name in ("list", "add", "scan", "other")] == [
        "list domains",
        "add domains",
        "scan domains",
        "other",
    ]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (InvalidKeyError(), "Domain Tracker does not accept this key: mistyped, expired or"),
        (InsufficientPermissionsError(), "This API key may not list domains: it needs the scope"),
        (IpNotAllowedError(), "Domain Tracker does not let the workspace's API key be used from"),
        (RateLimitedError(40), "The API key has used up its requests for now. Try again in 40 s."),
    ],
    ids=["invalid", "scope", "address", "rate"],
)
def test_why_a_new_key_was_not_saved_is_said(error: Exception, sentence: str) -> None:
    trouble = draft_trouble(error, facts_for_admin(egress_addresses=("192.0.2.1",)))

    assert trouble is not None
    assert trouble.startswith(sentence)


@pytest.mark.parametrize("error", [UnavailableError(is_outcome_unknown=False), NotAllowedError()])
def test_what_is_not_the_keys_fault_is_not_blamed_on_it(error: Exception) -> None:
    assert draft_trouble(error, facts_for_admin()) is None


def test_whoever_set_a_key_is_told_that_it_is_refused() -> None:
    notice = refusal_notice(a_key_record())

    assert notice.text == (
        f"Domain Tracker refuses the API key {SHORT} of this workspace as invalid."
        " Commands cannot answer until it is replaced with /domainkey."
    )


def test_a_key_past_its_date_is_not_said_to_work() -> None:
    record = a_key_record(expires_on=TODAY - timedelta(days=1))

    message = key_state_message(record, None, TODAY)

    assert "has expired" in message.text
    assert "works" not in message.text
