import json
from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from bot.process.redaction import holds_secret, redact
from tests.builders import APP_TOKEN, BOT_TOKEN, KEY, KEY_TAIL
from tests.loops import loop_over
from tests.stopwatch import at_most

SECRETS = {
    "a key": KEY,
    "a key in capitals": KEY.upper(),
    "the beginning of a key": KEY[:14],
    "a bot token": BOT_TOKEN,
    "a user token": BOT_TOKEN.replace("xoxb", "xoxp"),
    "a rotated token": f"xoxe.{BOT_TOKEN}",
    "a refresh token": f"xoxe-1-{KEY_TAIL}",
    "an app token": APP_TOKEN,
    "an app token of another kind": f"xapp-2-{KEY_TAIL}",
    "the token of a step": f"xwfp-{KEY_TAIL}",
    "odd characters": "service_sk_a.b~c+d/e=f-g_h",
}
HEX = "232b4e6d82c333b475fc30f5f5a341d2"
# What Slack gives and takes while the app is installed; nothing in it tells that it is secret.
OAUTH = {
    "a code in an address": "GET /slack/oauth_redirect?code={}&state=x",
    "a code alone": "invalid_code 4724469134.4644010092847.{0}{0}",
    "a state in an address": "/slack/oauth_redirect?code=x&state={}",
    "an escaped state": "/slack/oauth_redirect?code=x&state=a%2F{}%3D%3D",
    "a client secret in a form": "client_id=1.2&client_secret={}",
    "a client secret in JSON": '{{"client_id": "1.2", "client_secret": "{}"}}',
    "a client secret in JSON in JSON": '"{{\\"client_secret\\": \\"{}\\"}}"',
    "a client secret of the environment": "SLACK_CLIENT_SECRET='{}'",
    "a client secret behind another alphabet": "client_secret é={}",
    "a client secret in a header": "Authorization: Basic MTIz{}==",
    "a client secret in headers": "{{'Authorization': 'Basic {}'}}",
}
AROUND = {
    "alone": "{}",
    "in a sentence": "the key {}, and more",
    "in JSON": '{{"key":"{}"}}',
    "in a header": "Authorization: Bearer {}",
    "in an address": "https://x.example/?key={}&b=1",
    "twice": "{0} {0}",
    "over two lines": "a\n{}\nb",
}
HARMLESS = [
    "service_sk_…wxyz",
    "a key begins with service_sk_ and has 52 characters",
    "it begins with service_sk_. It has 52 characters",
    "xoxb, xapp and xox",
    "https://shop.example/a?b=c",
    "service_sk_ [hidden]",
    "SLACK_CLIENT_SECRET: is missing",
    "under Basic Information of your app",
    "code=invalid_blocks state=poor",
    "10.0.0.1 and 1234.5678 and 12345.67890",
]


@loop_over("around", AROUND.values(), ids=AROUND)
@loop_over("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_reduced_to_its_kind(secret: str, around: str) -> None:
    redacted = redact(around.format(secret))

    assert holds_secret(around.format(secret))
    assert secret not in redacted
    assert "[hidden]" in redacted
    assert not holds_secret(redacted)


def test_the_words_around_a_secret_stay() -> None:
    assert redact(f"the key {KEY}, and more") == "the key service_sk_[hidden], and more"
    assert redact(f'{{"t":"{BOT_TOKEN}"}}') == '{"t":"xoxb-[hidden]"}'


@loop_over("text", OAUTH.values(), ids=OAUTH)
def test_what_installing_brings_along_is_hidden(text: str) -> None:
    redacted = redact(text.format(HEX))

    assert HEX not in redacted
    assert "[hidden]" in redacted
    assert redact(redacted) == redacted


def test_of_all_secrets_in_one_text_none_stays() -> None:
    redacted = redact(
        " ".join([*SECRETS.values(), *(each.format(HEX) for each in OAUTH.values())])
    )

    assert HEX not in redacted
    assert KEY_TAIL.casefold() not in redacted.casefold()


def test_what_is_around_a_code_stays() -> None:
    address = f"GET https://b.example/slack/oauth_redirect?code=4724.46.{HEX}&state={HEX}&x=1 HTTP"

    assert redact(address) == (
        "GET https://b.example/slack/oauth_redirect?code=[hidden]&state=[hidden]&x=1 HTTP"
    )


def test_an_address_with_a_code_is_no_key_that_somebody_typed() -> None:
    assert not holds_secret(f"https://shop.example/?code={HEX}&state={HEX}")


@loop_over("text", HARMLESS)
def test_what_gives_nothing_away_stays_as_it_is(text: str) -> None:
    assert redact(text) == text
    assert not holds_secret(text)


def test_invisible_characters_hide_no_secret() -> None:
    ends = (
        *("\x00\x08", "\x0b\x1f", "\x7f\x9f", "\xad", "\u061c", "\u180e", "\u200b\u200f"),
        *("\u2028\u202e", "\u2060\u206f", "\ufeff", "\ufff9\ufffb", "\ud800\udfff"),
        "\U000e0000\U000e007f",
    )
    for hidden in "".join(ends):
        assert holds_secret(KEY.replace("_sk", f"{hidden}_sk")), repr(hidden)


SPLIT = "\u200b\ufe0f\u034f\u180b\u3164\U000e0101\U000e0041\xad\x07\x08\x0c\r\ud83d"


@loop_over("written", [str, json.dumps, repr, lambda text: json.dumps(repr(text))])
def test_a_secret_with_invisible_characters_is_redacted(written: Callable[[str], str]) -> None:
    for hidden in SPLIT:
        for split in (hidden.join(KEY), KEY.replace("_sk", f"{hidden}_sk"), KEY + hidden + "tail"):
            redacted = redact(written(f"a {split} b"))

            assert redacted.lstrip("'\"").startswith("a service_sk_[hidden]")
            assert KEY[-6:] not in redacted
            assert holds_secret(split)


def test_what_an_emoji_needs_stays_where_it_splits_no_secret() -> None:
    assert redact("❤\ufe0f shop") == "❤\ufe0f shop"
    assert redact(f"❤\ufe0f {KEY} \\u200b") == "❤\ufe0f service_sk_[hidden] \\u200b"


def test_a_long_text_is_redacted_quickly() -> None:
    with at_most(processor_s=5):
        for piece in ("\\", "\\u200b", "\ufe0f", "service_sk_\ufe0f", "&code=", "1."):
            redact(piece * 50_000)


def test_what_everybody_sees_makes_it_another_text() -> None:
    for seen in "\t\n ~\xa0\xac\xae\u2027\u202f\u205f\u2070\ufff8\ufffc":
        assert not holds_secret(KEY.replace("_sk", f"{seen}_sk")), repr(seen)


@given(st.text(), st.sampled_from(list(SECRETS.values())), st.text())
def test_no_neighbour_saves_a_secret(before: str, secret: str, after: str) -> None:
    assume(secret[-8:] not in before + after)

    redacted = redact(before + secret + after)

    assert secret[-8:] not in redacted
    assert redact(redacted) == redacted
