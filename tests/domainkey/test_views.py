import re
from dataclasses import replace
from datetime import timedelta

from bot.blocks.text import moment_token
from bot.domainkey.views import allowance_lines, key_state_message, turned_message
from bot.keys.key_record import EarlierKey, KeyRecord
from bot.scans.nightly import Nights
from bot.tracker.rate_limit import Allowance
from tests.blocks.acceptance import assert_slack_takes, buttons, shown_text
from tests.builders import MOMENT, TODAY, a_key_record, pair_of
from tests.loops import loop_over

SHORT = a_key_record().shown  # service_sk_…, and the last four characters
DAY = timedelta(days=1)
ALLOWANCE = Allowance(remaining=9_876, age_s=40, highest_seen=10_000)


def test_an_admin_without_a_key_reads_how_to_make_one() -> None:
    message = key_state_message(None, None, MOMENT)

    assert_slack_takes(message)
    assert message.text.startswith("This workspace is not connected to Domain Tracker yet.")
    assert "a key for this app alone" in message.text
    assert set(buttons(message)) == {"Set key", "Managers", "Permissions", "History"}


def test_the_state_of_a_key_shows_everything_but_the_key() -> None:
    record = a_key_record(label="CI *key*", expires_on=TODAY + 75 * DAY)

    message = key_state_message(pair_of(record), ALLOWANCE, MOMENT)

    assert_slack_takes(message)
    assert "*Label*\n`CI *key*`" in shown_text(message)
    assert message.text.startswith(
        f"Domain Tracker API key: active. Key: {SHORT}. Label: CI key."
        " Expires: 15 May 2030 (in 75 days). Scopes: read_domains. Set: by <@U0ADMIN>, 1 Mar 2030"
    )
    assert (
        "Requests. 9,876 requests left this hour, as of 1 Mar 2030, 14:04 UTC."
        " The last 500 are reserved for digests."
    ) in message.text


def test_a_key_can_be_replaced_checked_and_removed_after_a_question() -> None:
    message = key_state_message(pair_of(a_key_record()), None, MOMENT)

    assert list(buttons(message)) == [
        *("Replace key", "Check key"),
        *("Managers", "Permissions", "History", "Remove key"),
    ]
    remove = next(e for e in message.blocks[-1]["elements"] if "confirm" in e)
    assert remove["text"]["text"] == "Remove key"
    assert "Commands and digests stop until" in remove["confirm"]["text"]["text"]


@loop_over(
    ("nights", "domains", "words", "label"),
    [
        (
            Nights(is_on=True, zone="Europe/Berlin"),
            128,
            "on, 1:00–6:00 (Europe/Berlin), the oldest scan first, each domain about every night.",
            "Stop nightly scans",
        ),
        (
            Nights(is_on=True, zone="UTC"),
            5_000,
            "about every 12 nights",
            "Stop nightly scans",
        ),
        (Nights(is_on=True, zone="UTC"), 0, "the oldest scan first.", "Stop nightly scans"),
        (
            Nights(is_on=False, zone="UTC"),
            128,
            "off. Only people scan.",
            "Start nightly scans",
        ),
    ],
)
def test_nightly_scans_are_shown_and_turned(
    nights: Nights, domains: int, words: str, label: str
) -> None:
    message = key_state_message(
        pair_of(a_key_record()), ALLOWANCE, MOMENT, nights=nights, domains=domains
    )
    of_manager = key_state_message(
        pair_of(a_key_record()), ALLOWANCE, MOMENT, nights=nights, domains=domains, may_name=False
    )

    assert_slack_takes(message)
    for each in (message, of_manager):
        assert words in shown_text(each)
    assert label in buttons(message)
    assert label not in buttons(of_manager)


def test_the_answer_to_the_press_says_how_it_is_now() -> None:
    for is_on, words in ((True, "are on"), (False, "are off")):
        message = turned_message(is_on=is_on)
        assert_slack_takes(message)
        assert f"Nightly scans {words}" in message.text


@loop_over(
    ("state", "words"),
    [
        ({}, "active"),
        ({"refused_at": MOMENT}, "no longer works. Commands and digests stop until it is"),
        ({"lacks": ("add", "scan")}, "active, but may not add domains, scan domains"),
    ],
    ids=["active", "refused", "lacks scopes"],
)
def test_the_state_is_said_in_words(state: dict[str, object], words: str) -> None:
    message = key_state_message(pair_of(a_key_record(**state)), None, MOMENT)  # type: ignore[arg-type]  # by name

    assert message.text.startswith(f"Domain Tracker API key: {words}")


def test_unknown_facts_are_not_guessed() -> None:
    text = key_state_message(pair_of(a_key_record(scopes=())), None, MOMENT).text

    assert "Requests left this hour: not known yet." in text
    assert "Expires: not known. Scopes: not recorded." in text


def a_key_of_no_use(**fields: object) -> KeyRecord:
    return replace(a_key_record(**fields), works=("list", "add"))  # type: ignore[arg-type]  # by name


OF_NO_USE = [
    a_key_of_no_use(refused_at=MOMENT),
    a_key_of_no_use(refused_at=MOMENT, expires_on=TODAY + 90 * DAY),
    a_key_of_no_use(expires_on=TODAY - DAY),
]


@loop_over("record", [*OF_NO_USE, a_key_record(lacks=("scan",))])
def test_of_a_key_that_may_not_scan_no_nightly_scans_are_promised(record: KeyRecord) -> None:
    nights = Nights(is_on=True, zone="UTC")

    message = key_state_message(pair_of(record), ALLOWANCE, MOMENT, nights=nights, domains=3)

    assert "Nightly scans" not in shown_text(message)
    assert "Stop nightly scans" in buttons(message)


@loop_over("record", OF_NO_USE, ids=["refused", "refused in time", "expired"])
def test_a_key_of_no_use_has_no_ticks_and_no_requests_left(record: KeyRecord) -> None:
    message = key_state_message(pair_of(record), ALLOWANCE, MOMENT)

    assert_slack_takes(message)
    for words in ("`: works", "9,876", "Requests"):
        assert words not in shown_text(message)


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
    message = key_state_message(pair_of(a_key_record(expires_on=TODAY + days * DAY)), None, MOMENT)

    assert_slack_takes(message)
    assert words in shown_text(message)


def test_two_keys_of_one_label_are_distinguishable() -> None:
    before = replace(a_key_record(), last4="0R-b")
    earlier = EarlierKey("v1.k.x", before, MOMENT + 7 * DAY)

    message = key_state_message(pair_of(a_key_record(), earlier), None, MOMENT)

    assert buttons(message)["Roll back"] == before.mark
    assert "Roll back to the old key?" in str(message.blocks)
    assert "The old key, `Slack bot` (`…0R-b`), is kept until" in shown_text(message)


PLENTY = Allowance(remaining=1_234, age_s=170, highest_seen=2_000)


def lines(allowance: Allowance = PLENTY) -> list[str]:
    return allowance_lines(allowance, MOMENT)


def test_no_line_tells_an_age_that_is_wrong_when_it_is_read_later() -> None:
    waiting = Allowance(remaining=7, age_s=5, wait_s=40, highest_seen=1_000)

    for line in lines(waiting):
        assert not re.search(r"\d (s|min|h)\b|\bago\b", line)


def test_a_wait_is_said_with_its_end_and_never_too_early() -> None:
    waiting = Allowance(remaining=0, age_s=1, wait_s=40, highest_seen=1_000)
    end = MOMENT + timedelta(seconds=40, minutes=1)

    assert f"⏸️ Rate limit reached; resuming {moment_token(end)}." in lines(waiting)
    assert len(lines(waiting)) == 2, "nothing is left to be reserved"
