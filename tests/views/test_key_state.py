from dataclasses import replace
from datetime import date, timedelta

from bot.api_keys.models import KeyRecord, PreviousKey
from bot.shared_limits import Allowance, Usage
from bot.tracker.rate_limit import WINDOW_S, BudgetState
from bot.views.api_key import key_state_message
from bot.workspace import person
from tests.builders import ADMIN_ID, MOMENT, TODAY, a_key_record
from tests.loops import loop_over
from tests.views.acceptance import assert_slack_takes, buttons, shown_text

SHORT = a_key_record().shown  # service_sk_…, and the last four characters
DAY = timedelta(days=1)
BUDGET = BudgetState(remaining=9_876, told_ago_s=40, highest_seen=10_000)
ALLOWANCE = Allowance(BUDGET, Usage(WINDOW_S, ((person(ADMIN_ID), 12),)))


def test_an_admin_without_a_key_is_told_how_to_make_one() -> None:
    message = key_state_message(None, None, MOMENT)

    assert_slack_takes(message)
    assert message.text == "This workspace is not connected to Domain Tracker yet."
    assert "a key for this app alone" in shown_text(message)
    assert set(buttons(message)) == {"Set key", "Managers", "Permissions", "History"}


def test_the_state_of_a_key_shows_everything_but_the_key() -> None:
    record = a_key_record(label="CI *key*", expires_on=TODAY + 75 * DAY)

    message = key_state_message(record, ALLOWANCE, MOMENT)

    assert_slack_takes(message)
    text = shown_text(message)
    assert f"*Key*\n`{SHORT}`" in text
    assert "*Label*\n`CI *key*`" in text
    assert "*Expires*\n15 May 2030 (in 75 days)" in text
    assert "*Scopes*\n`read_domains`" in text
    assert "by <@U0ADMIN>, <!date^" in text
    assert "9,876 requests left this hour, as of <!date^" in text
    assert "The last 500 are reserved for digests." in text
    assert "Used in the last hour: <@U0ADMIN> 12." in text
    assert message.text == (
        f"API key {SHORT}: active. Expires: 15 May 2030 (in 75 days). Scopes: read_domains."
        " 9,876 requests left this hour, as of 1 Mar 2030, 14:04 UTC."
    )


def test_a_key_can_be_replaced_checked_and_removed_after_a_question() -> None:
    message = key_state_message(a_key_record(), None, MOMENT)

    assert list(buttons(message)) == [
        *("Replace key", "Rotate key", "Check key"),
        *("Managers", "Permissions", "History", "Remove key"),
    ]
    remove = next(e for e in message.blocks[-1]["elements"] if "confirm" in e)
    assert remove["text"]["text"] == "Remove key"
    assert "Commands and digests stop until" in remove["confirm"]["text"]["text"]


@loop_over(
    ("state", "words"),
    [
        ({}, "active"),
        ({"refused_at": MOMENT}, "no longer works"),
        ({"lacks": ("add", "scan")}, "active, but may not add domains, scan domains"),
        ({"lacks": ("dance",)}, "active, but may not dance"),
    ],
    ids=["active", "refused", "lacks scopes", "another operation"],
)
def test_the_state_is_said_in_words(state: dict[str, object], words: str) -> None:
    message = key_state_message(a_key_record(**state), None, MOMENT)  # type: ignore[arg-type]  # by name

    assert message.text.startswith(f"API key {SHORT}: {words}.")
    assert "Expires: not known." in message.text
    assert f"*Domain Tracker API key: {words}*" in shown_text(message)


def test_what_nobody_told_is_not_guessed() -> None:
    shown = shown_text(key_state_message(a_key_record(scopes=()), None, MOMENT))

    assert "*Requests*\nRequests left this hour: not known yet." in shown
    assert "*Scopes*\nnot recorded" in shown
    assert "*Expires*\nnot known" in shown


@loop_over("day", [date.min, date.max])
def test_any_day_can_be_shown(day: date) -> None:
    assert_slack_takes(key_state_message(a_key_record(expires_on=day), None, MOMENT))


def a_key_of_no_use(**fields: object) -> KeyRecord:
    return replace(a_key_record(**fields), works=("list", "add"))  # type: ignore[arg-type]  # by name


OF_NO_USE = [
    a_key_of_no_use(refused_at=MOMENT),
    a_key_of_no_use(refused_at=MOMENT, expires_on=TODAY + 90 * DAY),
    a_key_of_no_use(expires_on=TODAY - DAY),
]


@loop_over("record", OF_NO_USE, ids=["refused", "refused in time", "expired"])
def test_a_key_of_no_use_has_no_ticks_and_no_requests_left(record: KeyRecord) -> None:
    message = key_state_message(record, ALLOWANCE, MOMENT)

    assert_slack_takes(message)
    for text in (message.text, shown_text(message)):
        assert "key works" not in text.lower()
        assert "` works" not in text
        assert "✅" not in text
        assert "9,876" not in text
    assert "*Requests*" not in shown_text(message)


def test_a_refused_key_says_what_that_means() -> None:
    message = key_state_message(a_key_record(refused_at=MOMENT), None, MOMENT)

    text = "⚠️ Commands and digests stop until it is replaced."
    assert text in message.text
    assert f"no longer works*\n{text}" in shown_text(message)


@loop_over(
    ("days", "words"),
    [
        (14, "📅 It expires in 14 days, on 15 Mar 2030."),
        (4, "📅 It expires in 4 days, on 5 Mar 2030."),
        (3, "⚠️ It expires in 3 days, on 4 Mar 2030."),
        (1, "⚠️ It expires tomorrow, 2 Mar 2030."),
        (0, "⚠️ It expires today, 1 Mar 2030."),
        (-1, "⚠️ It expired on 28 Feb 2030, 1 day ago (date entered at setup)."),
    ],
)
def test_an_end_that_is_near_is_said_with_a_sign(days: int, words: str) -> None:
    message = key_state_message(a_key_record(expires_on=TODAY + days * DAY), None, MOMENT)

    assert_slack_takes(message)
    assert words in message.text
    assert words in shown_text(message)


@loop_over("expires_on", [None, TODAY + 15 * DAY])
def test_an_end_that_is_far_or_not_known_needs_no_sign(expires_on: date | None) -> None:
    text = shown_text(key_state_message(a_key_record(expires_on=expires_on), None, MOMENT))

    assert "📅" not in text
    assert "⚠️" not in text


def test_the_key_before_is_told_from_one_of_the_same_label() -> None:
    before = replace(a_key_record(), last4="0R-b")
    earlier = PreviousKey("v1.k.x", before, MOMENT + 7 * DAY)

    message = key_state_message(a_key_record(), None, MOMENT, earlier=earlier)

    assert "The previous key, `Slack bot` (`…0R-b`), is kept until" in shown_text(message)
    assert "The previous key (…0R-b) is kept until 8 Mar 2030" in message.text
