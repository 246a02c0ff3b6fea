"""What is said of a key over the years: its scopes, its end, its rotation, who did what."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.admin.audit import Act, Entry
from bot.keys import EarlierKey, KeyNotice, NoticeKind
from bot.message import Message
from bot.tracker.errors import InvalidKeyError
from bot.views.failure import failure_message
from bot.views.history import ENTRIES_PER_PAGE, entry_line, history_form, history_trouble_form
from bot.views.key import key_state_message, rolled_back_message
from bot.views.key_form import KeyFormValues
from bot.views.key_notices import key_notice
from bot.views.key_rotation import (
    checking_step,
    finished,
    first_step,
    fourth_step,
    interrupted,
    second_step,
    third_step,
)
from bot.views.key_scopes import scope_lines
from bot.views.managers import (
    managers_form,
    managers_notice,
    saved_managers_form,
    saving_managers_form,
)
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, MOMENT, TODAY, a_key_record, facts_for
from tests.views.acceptance import (
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown,
    shown_text,
)

DAY = timedelta(days=1)


def an_earlier_key(label: str = "old bot") -> EarlierKey:
    return EarlierKey("v1.k.x", a_key_record(label=label), MOMENT + 7 * DAY)


def expiry_notice(days: int) -> Message:
    record = a_key_record(expires_on=TODAY + days * DAY)
    return key_notice(KeyNotice(NoticeKind.EXPIRY, 14), record, TODAY)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (14, "expires in 14 days, on 15 Mar 2030"),
        (2, "expires in 2 days, on 3 Mar 2030"),
        (1, "expires tomorrow, 2 Mar 2030"),
        (0, "expires today, 1 Mar 2030"),
        (-1, "expired on 28 Feb 2030, 1 day ago"),
        (-9, "expired on 20 Feb 2030, 9 days ago"),
    ],
)
def test_a_reminder_says_what_is_left_on_the_day_on_which_it_is_read(
    days: int, words: str
) -> None:
    notice = expiry_notice(days)

    assert words in notice.text
    assert words in shown_text(notice)


@pytest.mark.parametrize("kind", NoticeKind)
def test_every_notice_can_be_mended_from(kind: NoticeKind) -> None:
    notice = key_notice(KeyNotice(kind), a_key_record(expires_on=TODAY), TODAY)

    assert_slack_takes(notice)
    assert "Replace key" in buttons(notice)


def test_a_proposal_to_rotate_names_the_age_and_the_steps() -> None:
    notice = key_notice(KeyNotice(NoticeKind.ROTATION), a_key_record(), TODAY + 90 * DAY)

    assert "was set 90 days ago" in notice.text
    for words in ("same scopes", "`last used`", "delete the old key"):
        assert words in shown_text(notice)


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_label_does_nothing_in_notices_and_steps(text: str) -> None:
    record, earlier = a_key_record(label=text, scopes=(text,)), an_earlier_key(text)

    for kind in NoticeKind:
        assert_slack_takes(key_notice(KeyNotice(kind), record, TODAY))
    assert_slack_takes(key_state_message(record, None, TODAY, earlier=earlier))
    for form in (
        first_step(record, earlier, "meta"),
        third_step(record, earlier, 1, "meta"),
        fourth_step(earlier, "meta"),
        finished(record),
    ):
        assert_slack_takes_form(form)


def test_the_steps_name_what_to_do_with_which_key() -> None:
    record = a_key_record(label="new bot", scopes=("read_domains", "write_domains"))
    told = [
        "\n".join(shown(form))
        for form in (
            first_step(record, None, ""),
            third_step(record, an_earlier_key(), 3, ""),
            fourth_step(an_earlier_key(), ""),
        )
    ]

    assert "`read_domains`, `write_domains`" in told[0]
    assert "*last used* of `old bot`" in told[1]
    assert "delete `old bot`" in told[2]


def test_slack_takes_every_form_in_between() -> None:
    for form in (
        second_step("meta", KeyFormValues(), "Mistyped."),
        checking_step(),
        interrupted("x" * 5_000),
        managers_form("meta", (), "Why."),
        managers_form("meta", (ADMIN_ID,) * 30),
        managers_notice("x" * 5_000),
        saved_managers_form((ADMIN_ID,)),
        saved_managers_form(()),
        saving_managers_form(),
        history_trouble_form("x" * 5_000),
    ):
        assert_slack_takes_form(form)


@pytest.mark.parametrize(
    ("state", "lines"),
    [
        ({"works": ("list", "add", "scan")}, ["works", "works", "works"]),
        ({"lacks": ("add",)}, ["not tried yet", "needs the scope `write_domains`", "not tried"]),
        ({"lacks": ("scan",)}, ["not tried yet", "not tried yet", "needs a wider scope"]),
        ({"scopes": ("admin",)}, ["needs the scope `read_domains`", "not tried", "not tried"]),
        ({}, ["not tried yet", "by your note it lacks the scope `write_domains`", "not tried"]),
    ],
    ids=["all work", "may not add", "may not scan", "admin", "read only by the note"],
)
def test_each_command_says_whether_the_key_suffices(
    state: dict[str, tuple[str, ...]], lines: list[str]
) -> None:
    record = a_key_record(
        scopes=state.get("scopes", ("read_domains",)), lacks=state.get("lacks", ())
    )
    told = scope_lines(replace(record, works=state.get("works", ())))

    assert [words in line for words, line in zip(lines, told, strict=True)] == [True] * 3


def test_the_state_offers_to_roll_back_after_a_question() -> None:
    message = key_state_message(a_key_record(), None, TODAY, earlier=an_earlier_key())

    assert_slack_takes(message)
    assert buttons(message)["Roll back"] == an_earlier_key().record.mark
    assert "`old bot`, is kept until" in shown_text(message)
    assert "Roll back to the key before?" in str(message.blocks)


def test_who_may_not_name_managers_is_not_offered_to() -> None:
    message = key_state_message(a_key_record(), None, TODAY, managers=(ADMIN_ID,), may_name=False)

    assert "Managers" not in buttons(message)
    assert f"<@{ADMIN_ID}> may manage this key" in shown_text(message)


def test_going_back_says_what_becomes_of_the_other_key() -> None:
    assert "is kept for 7 days" in rolled_back_message(a_key_record(), 3).text


@pytest.mark.parametrize("act", Act)
def test_every_act_has_words(act: Act) -> None:
    entry = Entry(at=MOMENT, by=ADMIN_ID, act=act, key="service_sk_…abcd", channel_id="C1")

    assert f"<@{ADMIN_ID}>" in entry_line(entry)


@pytest.mark.parametrize(("page", "number"), [(-1, 1), (0, 1), (1, 2), (2, 3), (99, 3)])
def test_a_history_has_pages_with_ends(page: int, number: int) -> None:
    entries = [Entry(at=MOMENT, by=ADMIN_ID, act=Act.MANAGERS_CHANGED, added=(ADMIN_ID,) * 20)] * (
        2 * ENTRIES_PER_PAGE + 1
    )

    form = history_form(entries, page, "meta")

    assert_slack_takes_form(form)
    assert f"Page {number} of 3" in "\n".join(shown(form))


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ((ADMIN_ID, "U2"), f"<@{ADMIN_ID}>, who set it, has been told."),
        (("U2",), "The managers have been told."),
        ((), "as invalid. Please ask"),
    ],
    ids=["setter", "managers", "nobody"],
)
def test_only_who_was_told_is_said_to_have_been(told: tuple[str, ...], words: str) -> None:
    key = replace(a_key_record(refused_at=MOMENT, told_at=MOMENT), told=told)

    assert words in failure_message(InvalidKeyError(), facts_for(key=key)).text


def test_an_empty_history_says_so() -> None:
    assert "Nothing was done yet" in "\n".join(shown(history_form([], 0, "")))
