from dataclasses import replace
from datetime import timedelta

from bot.domainkey.form_views import (
    CHECKING,
    EXPIRIES,
    EXPIRY_BLOCK,
    EXPIRY_DAY_BLOCK,
    LABEL_BLOCK,
    SCOPES_BLOCK,
    SECRET_BLOCK,
    KeyFormValues,
    key_form,
    key_paragraph,
    not_confirmed_form,
    not_confirmed_message,
    not_saved_message,
    other_portfolio_form,
    other_portfolio_message,
    saved_form,
)
from bot.domainkey.views import (
    REMOVED,
    TYPED_KEY,
    checked_message,
    key_state_message,
    rolled_back_message,
    saved_message,
)
from bot.keys.errors import key_notice
from bot.keys.key_pair import EarlierKey, KeyPair
from bot.keys.key_record import SCOPES, KeyNotice, NoticeKind, OtherPortfolioError
from bot.keys.views import MAX_LABEL_CHARS, PROPOSED_LABEL
from tests.blocks.acceptance import (
    Json,
    assert_slack_takes,
    assert_slack_takes_form,
    buttons,
    shown,
)
from tests.builders import HOSTILE_TEXTS, MOMENT, a_key_record
from tests.loops import loop_over

SHORT = a_key_record().shown  # service_sk_…, and the last four characters


def fields_of(form: Json) -> dict[str, Json]:
    return {block["block_id"]: block for block in form["blocks"] if block["type"] == "input"}


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_an_admin_typed_does_nothing(text: str) -> None:
    record = a_key_record(label=text, scopes=(text,) * 9, lacks=("add", "scan"))

    assert_slack_takes(key_state_message(record, None, MOMENT))


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

    assert fields[LABEL_BLOCK]["element"]["initial_value"] == PROPOSED_LABEL
    assert fields[EXPIRY_BLOCK]["element"]["initial_option"]["value"] == "90"
    chosen = [each["value"] for each in fields[SCOPES_BLOCK]["element"]["initial_options"]]
    assert chosen == ["read_domains", "write_domains"]
    assert fields[EXPIRY_DAY_BLOCK]["optional"] is True


def test_the_form_never_holds_a_key() -> None:
    secret = fields_of(key_form("meta", KeyFormValues(), "Mistyped."))[SECRET_BLOCK]

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
        (saved_message(a_key_record(), 10_000), "works and is saved. It sees 10,000 domains."),
        (checked_message(a_key_record(), 1), f"{SHORT} works. It sees 1 domain."),
        (rolled_back_message(a_key_record(), 0), "The replaced key is kept for 7 days."),
        (REMOVED, "Also delete it in Domain Tracker"),
    ):
        assert_slack_takes(message)
        assert words in message.text
        assert {"Set key", "Key"} & set(buttons(message))  # it took the place of other buttons
    assert_slack_takes_form(saved_form(a_key_record(), 1))
    assert_slack_takes_form(other_portfolio_form(OtherPortfolioError(10**9, 10**9), "meta"))
    assert_slack_takes_form(not_confirmed_form("x" * 2_000, "meta"))
    assert_slack_takes_form(key_paragraph(CHECKING))


def test_a_key_that_is_not_saved_yet_says_so_where_no_form_is_open() -> None:
    question = other_portfolio_message(OtherPortfolioError(150, 19))
    failed = not_saved_message("It is mistyped.")
    unknown = not_confirmed_message("Try again shortly.")

    assert question.text == (
        "This key sees 150 domains, none of your 19. Another portfolio? It is not in use yet."
    )
    assert {"Use this key", "Cancel"} <= set(buttons(question))
    assert failed.text == "The key was not saved. It is mistyped."
    assert {"Use this key", "Cancel"} <= set(buttons(unknown))
    for message in (question, failed, unknown):
        assert_slack_takes(message)


def test_the_setter_reads_that_the_key_expired() -> None:
    today = MOMENT.date()
    record = a_key_record(expires_on=today - timedelta(days=1))
    notice = key_notice(KeyNotice(NoticeKind.REFUSED), record, today)

    assert notice.text == (
        f"This workspace's API key {SHORT} no longer works. It expired on 28 Feb 2030."
        " Make a new key under Portfolio → API Keys."
        " Then set it with /domainkey: commands and digests wait for it."
    )


def test_text_behind_the_command_sends_to_the_form() -> None:
    assert_slack_takes(TYPED_KEY)
    assert "keys are set in a private form, never after the command" in TYPED_KEY.text
