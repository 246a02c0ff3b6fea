"""

What is said of a key over the years: its scopes, its end, its rotation, who did what.
"""

from dataclasses import replace
from datetime import timedelta

from bot.access.permissions import NotAManagerError, NotAnAdminError
from bot.access.repository import MAX_ENTRIES, SLACK, Act, Entry
from bot.access.views import entry_line, history_form
from bot.domainkey.form_views import (
    CHECKING,
    EXPIRIES,
    EXPIRY,
    LABEL,
    SCOPES_FIELD,
    SECRET,
    KeyFormValues,
    finished,
    key_form,
    key_paragraph,
    proposed,
    second_step,
    third_step,
    use_key_question,
)
from bot.domainkey.form_views import (
    DAY as DAY_FIELD,
)
from bot.domainkey.views import (
    REMOVED,
    key_state_message,
    scope_lines,
    works_message,
)
from bot.keys.errors import key_notice
from bot.keys.key_record import (
    SCOPES,
    EarlierKey,
    KeyNotice,
    KeyPair,
    NoticeKind,
    OtherPortfolioError,
)
from bot.keys.views import MAX_LABEL_CHARS, PROPOSED_LABEL
from bot.tracker.models import InvalidKeyError
from tests.blocks.acceptance import (
    Json,
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown,
)
from tests.builders import (
    ADMIN_ID,
    HOSTILE_TEXTS,
    MOMENT,
    TODAY,
    a_key_record,
    facts_for,
    failure_message,
    pair_of,
)
from tests.loops import loop_over

SHORT = a_key_record().shown  # service_sk_…, and the last four characters


def fields_of(form: Json) -> dict[str, Json]:
    return {block["block_id"]: block for block in form["blocks"] if block["type"] == "input"}


@loop_over("trouble", [None, "Why not.", "x" * 5_000], ids=["first", "again", "long"])
@loop_over("expiry", EXPIRIES)
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

    assert fields[LABEL]["element"]["initial_value"] == PROPOSED_LABEL
    assert fields[EXPIRY]["element"]["initial_option"]["value"] == "90"
    chosen = [each["value"] for each in fields[SCOPES_FIELD]["element"]["initial_options"]]
    assert chosen == ["read_domains", "write_domains"]
    assert fields[DAY_FIELD]["optional"] is True


def test_no_key_of_one_day_gets_the_name_of_the_one_in_use() -> None:
    first = proposed(a_key_record(label=PROPOSED_LABEL), MOMENT).label
    second = proposed(a_key_record(label=first), MOMENT).label

    assert first == f"{PROPOSED_LABEL}, 1 Mar 2030"
    assert second == f"{PROPOSED_LABEL}, 1 Mar 2030, 14:05 UTC"


def test_the_form_never_holds_a_key() -> None:
    secret = fields_of(key_form("meta", KeyFormValues(), "Mistyped."))[SECRET]

    assert set(secret["element"]) == {"type", "action_id", "placeholder", "focus_on_load"}
    assert secret["optional"] is False


def two_keys(*, earlier: bool) -> KeyPair:
    before = replace(a_key_record(), last4="0R-b")
    kept = EarlierKey("v1.k.x", before, MOMENT + timedelta(days=7)) if earlier else None
    return KeyPair(sealed="v1.k.y", record=replace(a_key_record(), last4="h8Ed"), earlier=kept)


@loop_over("earlier", [True, False])
def test_the_form_says_which_key_it_replaces_and_what_becomes_of_it(earlier: bool) -> None:
    form = key_form("meta", KeyFormValues(), "Mistyped.", in_use=two_keys(earlier=earlier))

    assert_slack_takes_form(form)
    text = "\n".join(shown(form))
    assert "⚠️ *Not saved.* Mistyped. Enter the key again." in text
    assert "the current key is `Slack bot` (`…h8Ed`)" in text
    assert "stays in use until the new one works" in text
    old = "The old key `Slack bot` (`…0R-b`) is still kept. A new key takes its place."
    assert (old in text) is earlier


def test_the_answers_about_a_key_say_what_it_sees_and_what_becomes_of_the_other() -> None:
    for message, words in (
        (works_message(a_key_record(), 10_000), "works and is saved. It sees 10,000 domains."),
        (works_message(a_key_record(), 1, "works"), f"{SHORT} works. It sees 1 domain."),
        (REMOVED, "Also delete it in Domain Tracker"),
    ):
        assert_slack_takes(message)
        assert words in message.text
        assert {"Set key", "Key"} & set(buttons(message))  # it took the place of other buttons
    assert_slack_takes_form(key_paragraph(CHECKING))


def test_a_key_that_is_not_saved_yet_says_so_where_no_form_is_open() -> None:
    why = failure_message(OtherPortfolioError(150, 19), facts_for()).text
    form, question = use_key_question(f"⚠️ {why}" * 20, "meta")

    assert why == (
        "This key sees 150 domains, none of your 19. Another portfolio? It is not in use yet."
    )
    assert {"Use this key", "Cancel"} <= set(buttons(question))
    assert_slack_takes_form(form)
    assert_slack_takes(question)


def test_the_setter_reads_that_the_key_expired() -> None:
    today = MOMENT.date()
    record = a_key_record(expires_on=today - timedelta(days=1))
    notice = key_notice(KeyNotice(NoticeKind.REFUSED), record, today)

    assert notice.text == (
        f"This workspace's API key {SHORT} no longer works. It expired on 28 Feb 2030."
        " Make a new key under Portfolio → API Keys."
        " Then set it with /domainkey: commands and digests wait for it."
    )


DAY = timedelta(days=1)


def an_earlier_key(label: str = "old bot") -> EarlierKey:
    return EarlierKey("v1.k.x", a_key_record(label=label), MOMENT + 7 * DAY)


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
    assert_slack_takes(key_state_message(pair_of(record, earlier), None, MOMENT))
    for form in (
        key_form("meta", KeyFormValues(), None, pair_of(record, earlier)),
        second_step(record, earlier, 1, "meta"),
        third_step(earlier, "meta"),
        finished(record),
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
            f"I notified <@U1>, <@U2>, <@U3>, <@U4>, <@U5>, <@U6>, <@U7>. {TO_MEND}",
        ),
        ((), "no longer works. Please ask a workspace admin or owner to"),
    ],
    ids=["setter and managers", "many", "nobody"],
)
def test_only_notified_people_are_named_as_notified(text: tuple[str, ...], words: str) -> None:
    key = replace(a_key_record(refused_at=MOMENT, told_at=MOMENT), told=text)

    assert words in failure_message(InvalidKeyError(), facts_for(key=key)).text
