import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.message import MAX_TEXT_CHARS, Message
from bot.blocks.text import (
    age_text,
    bold,
    code,
    day_token,
    duration_text,
    escaped,
    host_text,
    lines_within,
    literal,
    moment_text,
    moment_token,
    outside,
    score_number,
    without_markup,
)
from bot.process.redaction import holds_secret
from tests.blocks.acceptance import UNSEEN
from tests.builders import BOT_TOKEN, HOSTILE_TEXTS, KEY, KEY_TAIL, MOMENT
from tests.loops import loop_over

Json = dict[str, Any]
ANY_TEXT = st.sampled_from(list(HOSTILE_TEXTS.values())) | st.text(st.characters())


@loop_over(
    ("text", "shown"),
    [
        ("  shop \n", "shop"),
        ("a\nb\tc", "a b c"),
        ("a\u202eb\u061cc\x00d", "abcd"),
        ("a\ud800b", "ab"),
        (f"key {KEY}", "key service_sk_[hidden]"),
        ("service_sk_…wxyz", "service_sk_…wxyz"),
        ("<!channel>", "<!channel>"),
        ("\u200b", ""),
    ],
)
def test_text_from_outside_is_one_visible_line_without_secrets(text: str, shown: str) -> None:
    assert outside(text, 100) == shown


@loop_over("hidden", ["\u200b", "\u00ad", "\x00", "\u2060", "\U000e0041", "\u180e"])
def test_invisible_characters_hide_no_key(hidden: str) -> None:
    for place in range(1, len(KEY)):
        shown = outside(f"{KEY[:place]}{hidden}{KEY[place:]}", 100)

        assert shown == "service_sk_[hidden]"


def test_what_is_as_long_as_allowed_is_not_cut() -> None:
    for draw in (escaped, code, literal, bold):
        assert draw("x" * 200).strip("`*") == "x" * 200
        assert draw("x" * 201).strip("`*") == f"{'x' * 199}…"
    own, ascii_form = ".".join(["münchen"] * 16), ".".join(["xn--mnchen-3ya"] * 16)
    assert host_text(ascii_form) == f"{own[:119]}… ({ascii_form})"
    assert lines_within(["ab", "cd", "e"], 6) == ["ab", "cd"]


def test_no_limit_leaves_half_of_a_secret() -> None:
    hexadecimal = "232b4e6d82c333b475fc30f5f5a341d2"
    secrets = {
        KEY: KEY_TAIL,
        BOT_TOKEN: KEY_TAIL,
        f"4724469134.4644010092847.{hexadecimal}": hexadecimal,
        f"GET /slack/oauth_redirect?code={hexadecimal}": hexadecimal,
        f"client_secret={hexadecimal}": hexadecimal,
    }
    for text, secret in secrets.items():
        for limit in range(1, len(text) + 20):
            shown = outside(f"{text} and more", limit)

            assert secret[:4] not in shown


@given(ANY_TEXT, st.integers(1, 300))
def test_whatever_it_is_it_is_short_clean_and_the_same_again(text: str, limit: int) -> None:
    shown = outside(text, limit)

    assert len(shown) <= limit
    assert not UNSEEN.search(shown)
    assert not holds_secret(shown)
    assert "\n" not in shown


@given(ANY_TEXT, st.integers(1, 300))
def test_escaped_text_holds_no_markup(text: str, limit: int) -> None:
    shown = escaped(text, limit)

    assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", shown)


@given(ANY_TEXT, st.integers(1, 300))
def test_code_begins_and_ends_where_it_should(text: str, limit: int) -> None:
    shown = code(text, limit)

    assert shown == "(nothing)" or re.fullmatch(r"`([^`<>&]|&(amp|lt|gt);)+`", shown)


def test_clipping_comes_before_escaping() -> None:
    assert escaped("&&&&", 3) == "&amp;&amp;…"
    assert code("<<<<", 2) == "`&lt;…`"
    assert code("a` <!here> `b") == "`aˋ &lt;!here&gt; ˋb`"  # no backtick can end it


@loop_over(
    ("text", "shown"),
    [
        ("shop.example", "shop.example"),
        ("R&D <x>", "R&amp;D &lt;x&gt;"),
        ("web_shops", "web_shops"),
        ("a > b", "a &gt; b"),
        (" ", "(nothing)"),
    ],
)
def test_what_slack_does_not_format_is_bold_or_as_it_is(text: str, shown: str) -> None:
    assert (literal(text), bold(text)) == (shown, f"*{shown}*")


@loop_over("text", ["*a*", "a~b", "_dmarc.example", "a_ b", ":skull:", "> a", "a`b"])
def test_what_slack_would_format_is_code(text: str) -> None:
    assert literal(text) == bold(text) == code(text)


@given(ANY_TEXT, st.integers(1, 300))
def test_bold_text_has_no_other_format(text: str, limit: int) -> None:
    shown = bold(text, limit)

    assert shown == code(text, limit) or re.fullmatch(r"\*([^*~`<>&]|&(amp|lt|gt);)+\*", shown)


@loop_over(
    ("score", "shown"),
    [(0, "0"), (41, "41"), (49.99, "49.9"), (79.999, "79.9"), (100.0, "100"), (0.04, "0")],
)
def test_a_score_is_never_rounded_into_the_next_band(score: float, shown: str) -> None:
    assert score_number(score) == shown


@loop_over(
    ("host", "shown"),
    [
        ("shop.example", "shop.example"),
        ("xn--mnchen-3ya.example", "münchen.example (xn--mnchen-3ya.example)"),
        ("xn--99999999.example", "xn--99999999.example"),
    ],
)
def test_a_name_in_another_script_shows_what_it_really_is(host: str, shown: str) -> None:
    assert host_text(host) == shown


def test_a_moment_is_shown_in_the_readers_own_zone() -> None:
    moment = datetime(2027, 2, 3, 14, 5, 59, tzinfo=UTC)

    assert moment_token(moment) == (
        "<!date^1801663559^{date_short_pretty} at {time}|3 Feb 2027, 14:05 UTC>"
    )


@loop_over("hours", [-10, 0, 13])
def test_a_day_is_the_same_for_readers_far_in_the_east_and_in_the_west(hours: int) -> None:
    token = day_token(date(2027, 2, 3))
    seconds = int(token.split("^")[1])

    assert token.endswith("^{date_short}|3 Feb 2027>")
    assert datetime.fromtimestamp(seconds, timezone(timedelta(hours=hours))).day == 3


@loop_over(
    ("seconds", "shown"),
    [
        (-5, "1 minute"),
        (40, "1 minute"),
        (90, "2 minutes"),
        (3600, "1 hour"),
        (3601, "61 minutes"),
        (7200, "2 hours"),
        (9_000, "3 hours"),
        (172_800, "2 days"),
    ],
)
def test_a_wait_is_said_in_words(seconds: float, shown: str) -> None:
    assert duration_text(seconds) == shown


@loop_over(
    ("seconds", "shown"),
    [
        (59.9, "just now"),
        (60, "1 minute ago"),
        (3_600, "1 hour ago"),
        (86_399, "23 hours ago"),
        (172_800, "2 days ago"),
    ],
)
def test_an_age_is_said_in_whole_units(seconds: float, shown: str) -> None:
    assert age_text(seconds) == shown


def test_a_text_without_markup_says_the_same() -> None:
    mrkdwn = f"*Key* `a` until {moment_token(MOMENT)}, see <https://tracker.example/keys|keys>"

    assert without_markup(mrkdwn) == f"Key a until {moment_text(MOMENT)}, see keys"


def test_a_mark_in_a_key_does_not_join_it_again() -> None:
    assert without_markup(code(f"service_sk_*{KEY[11:]}")) == "service_sk_[hidden]"


def test_a_message_that_is_too_long_for_slack_is_cut_visibly() -> None:
    text = Message("x" * 5_000).as_args()["text"]

    assert len(text) == MAX_TEXT_CHARS
    assert text.endswith("…")
