"""What is said of a key over the years: its scopes, its end, its rotation, who did what."""

from dataclasses import replace
from datetime import timedelta

from bot.access.repository import (
    MAX_ENTRIES,
    SLACK,
    Act,
    Entry,
    NotAManagerError,
    NotAnAdminError,
)
from bot.access.views import entry_line, history_form, managers_form, managers_notice
from bot.domainkey.form_views import (
    KeyFormValues,
    finished,
    key_form,
    key_paragraph,
    second_step,
    third_step,
)
from bot.domainkey.views import key_state_message, scope_lines
from bot.keys.errors import key_notice
from bot.keys.key_pair import EarlierKey, KeyPair
from bot.keys.key_record import KeyNotice, KeyRecord, NoticeKind
from bot.tracker.models import InvalidKeyError
from tests.blocks.acceptance import assert_slack_takes, assert_slack_takes_form, buttons, shown
from tests.builders import (
    ADMIN_ID,
    HOSTILE_TEXTS,
    MOMENT,
    TODAY,
    a_key_record,
    facts_for,
    failure_message,
)
from tests.loops import loop_over

DAY = timedelta(days=1)


def an_earlier_key(label: str = "old bot") -> EarlierKey:
    return EarlierKey("v1.k.x", a_key_record(label=label), MOMENT + 7 * DAY)


def pair_of(record: KeyRecord, earlier: EarlierKey | None = None) -> KeyPair:
    return KeyPair(sealed="v1.k.y", record=record, earlier=earlier)


@loop_over("kind", NoticeKind)
def test_every_notice_can_be_mended_from(kind: NoticeKind) -> None:
    notice = key_notice(KeyNotice(kind, 14), a_key_record(expires_on=TODAY), TODAY)

    assert_slack_takes(notice)
    assert ("expires today, 1 Mar 2030" in notice.text) == (kind is NoticeKind.EXPIRY)
    assert ("was set 0 days ago" in notice.text) == (kind is NoticeKind.ROTATION)
    assert ("Replace key" in buttons(notice)) == (kind is not NoticeKind.WORKS_AGAIN)


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_label_does_nothing_in_notices_and_steps(text: str) -> None:
    record, earlier = a_key_record(label=text, scopes=(text,)), an_earlier_key(text)

    for kind in NoticeKind:
        assert_slack_takes(key_notice(KeyNotice(kind), record, TODAY))
    assert_slack_takes(key_state_message(record, None, MOMENT, earlier=earlier))
    for form in (
        key_form("meta", KeyFormValues(), None, pair_of(record, earlier)),
        second_step(record, earlier, 1, "meta"),
        third_step(earlier, "meta"),
        finished(record),
    ):
        assert_slack_takes_form(form)


def test_slack_takes_every_form_in_between() -> None:
    for form in (
        key_form("meta", KeyFormValues(), "Mistyped."),
        key_paragraph("x" * 5_000),
        managers_form("meta", (), "Why."),
        managers_form("meta", (ADMIN_ID,) * 30),
        managers_notice("x" * 5_000),
    ):
        assert_slack_takes_form(form)


@loop_over(
    ("state", "lines"),
    [
        ({"works": ("list", "add", "scan")}, ["works", "works", "works"]),
        ({"lacks": ("add",)}, ["not used yet", "not used", "needs the scope `write_domains`"]),
        ({"lacks": ("scan",)}, ["not used yet", "needs a wider scope", "not used yet"]),
        ({"scopes": ("admin",)}, ["not used", "not used", "not used"]),
        ({}, ["not used yet", "not used", "the recorded scopes lack `write_domains`"]),
    ],
    ids=["all work", "may not add", "may not scan", "admin", "read only by the note"],
)
def test_each_command_says_if_the_key_fits(
    state: dict[str, tuple[str, ...]], lines: list[str]
) -> None:
    record = a_key_record(
        scopes=state.get("scopes", ("read_domains",)), lacks=state.get("lacks", ())
    )
    shown = scope_lines(replace(record, works=state.get("works", ())))

    for command, words in zip(("/domains", "/scan", "/adddomain"), lines, strict=True):
        assert any(f"`{command}`" in line and words in line for line in shown), (command, words)


@loop_over("kind", [NotAManagerError, NotAnAdminError])
@loop_over("is_in_organisation", [True, False])
def test_allowed_people_are_named(
    kind: type[NotAManagerError | NotAnAdminError], is_in_organisation: bool
) -> None:
    managers = ((ADMIN_ID, "U1"),) if kind is NotAManagerError else ()
    error = kind(*managers, is_in_organisation=is_in_organisation)

    text = failure_message(error, facts_for()).text

    named = f"Managers: <@{ADMIN_ID}>, <@U1>. Please ask one of them."
    assert (named in text) is (kind is NotAManagerError)
    assert ("An organization admin can make you a manager" in text) is is_in_organisation


@loop_over("act", Act)
@loop_over(("by", "who"), [(SLACK, "Slack"), ("U1", "<@U1>")])
def test_an_act_names_the_person_and_the_change(act: Act, by: str, who: str) -> None:
    entry = Entry(
        at=MOMENT,
        by=by,
        act=act,
        channel_id="C1",
        detail="1 digest",
        added=("U2",),
        removed=("U1",),
    )

    line = entry_line(entry)

    assert f"  ·  {who} " in line
    assert line.endswith("in <#C1>: 1 digest, with <@U2>, without <@U1>")


def test_the_whole_history_fits_a_form() -> None:
    entries = [
        Entry(at=MOMENT, by=ADMIN_ID, act=Act.MANAGERS_CHANGED, added=(ADMIN_ID,) * 20)
    ] * MAX_ENTRIES

    assert_slack_takes_form(history_form(entries))
    assert "No activity yet" in "\n".join(shown(history_form([])))


TO_MEND = "Please ask a workspace admin or owner to replace it."


@loop_over(
    ("text", "words"),
    [
        ((ADMIN_ID, "U2"), f"I notified <@{ADMIN_ID}>, <@U2>. {TO_MEND}"),
        (
            tuple(f"U{number}" for number in range(1, 8)),
            f"I notified <@U1>, <@U2>, <@U3>, <@U4>, <@U5> and others. {TO_MEND}",
        ),
        ((), "no longer works. Please ask a workspace admin or owner to"),
    ],
    ids=["setter and managers", "many", "nobody"],
)
def test_only_notified_people_are_named_as_notified(text: tuple[str, ...], words: str) -> None:
    key = replace(a_key_record(refused_at=MOMENT, told_at=MOMENT), told=text)

    assert words in failure_message(InvalidKeyError(), facts_for(key=key)).text
