"""

Host names in what people and bots have written in Slack.
"""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.tracker.hostnames import (
    MAX_CANDIDATES,
    MAX_NAME_CHARS,
    HostNameError,
    HostProblem,
    host_name,
    hosts_in,
    unicode_name,
)
from tests.loops import loop_over
from tests.stopwatch import at_most

HOST = "shop.example"
MUNICH = "xn--mnchen-3ya.example"
LABEL_63 = "a" * 63
NAME_253 = ".".join([LABEL_63] * 3 + ["b" * 61])

TYPED = {
    "bare": ("shop.example", HOST),
    "capitals": ("SHOP.Example", HOST),
    "closing dot": ("SHOP.example.", HOST),
    "a web address": ("http://shop.example/path", HOST),
    "https, port, query": ("https://shop.example:8443/a?b=1&c=2#d", HOST),
    "capital scheme": ("HTTPS://SHOP.EXAMPLE", HOST),
    "no scheme but a path": ("shop.example/path?to=https://other.example", HOST),
    "slashes only": ("//shop.example/", HOST),
    "user in the address": ("https://me:pass@shop.example/", HOST),
    "Slack's link": ("<http://shop.example>", HOST),
    "Slack's labelled link": ("<http://shop.example|shop.example>", HOST),
    "Slack's escaped link": ("<https://shop.example/a?b=1&amp;c=2>", HOST),
    "typed brackets": ("&lt;http://shop.example&gt;", HOST),
    "typed brackets around a query": ("&lt;https://shop.example/?a=1&amp;amp;b=2&gt;", HOST),
    "escaped brackets in a query": ("<https://shop.example/?a=&lt;b&gt;>", HOST),
    "escaped quotes": ("&quot;shop.example&quot;", HOST),
    "label of another name": ("<http://shop.example|other.example>", HOST),
    "in backticks": ("`shop.example`", HOST),
    "in curly quotes": ("“shop.example”", HOST),
    "in brackets, with a comma": (" (shop.example), ", HOST),
    "own script": ("münchen.example", MUNICH),
    "own script, capitals": ("MÜNCHEN.EXAMPLE.", MUNICH),
    "own script, decomposed": ("mu\u0308nchen.example", MUNICH),
    "own script in an address": ("https://münchen.example/ä", MUNICH),
    "punycode": ("XN--MNCHEN-3YA.example", MUNICH),
    "wide letters and stops": ("\uff53\uff48\uff4f\uff50\u3002example", HOST),
    "right to left": ("שלום.example", "xn--9dbne9b.example"),
    "underscore": ("_dmarc.shop.example", "_dmarc.shop.example"),
    "subdomains": ("a.b.c.shop.example", "a.b.c.shop.example"),
    "numbers in front": ("1.2.3.example", "1.2.3.example"),
    "longest label": (f"{LABEL_63}.example", f"{LABEL_63}.example"),
    "longest name": (NAME_253, NAME_253),
    "longest name in an address": (f"https://{NAME_253}./", NAME_253),
}

NO_HOSTS = {
    "nothing": ("", HostProblem.EMPTY),
    "spaces": (" \t ", HostProblem.EMPTY),
    "punctuation": ("...", HostProblem.EMPTY),
    "a scheme alone": ("https://", HostProblem.EMPTY),
    "a channel": ("<#C1|general>", HostProblem.EMPTY),
    "3,000 characters": ("a" * 3000, HostProblem.TOO_LONG),
    "254 characters": (f"{NAME_253}b", HostProblem.TOO_LONG),
    "254 characters in capitals": (f"{NAME_253}b".upper(), HostProblem.TOO_LONG),
    "a label of 64": (f"{LABEL_63}a.example", HostProblem.LABEL_TOO_LONG),
    "a label of 64 in own script": ("ü" * 64 + ".example", HostProblem.LABEL_TOO_LONG),
    "localhost": ("localhost", HostProblem.SINGLE_LABEL),
    "one word": ("http://intranet/", HostProblem.SINGLE_LABEL),
    "IPv4": ("192.0.2.1", HostProblem.IP_ADDRESS),
    "IPv4 with a port": ("http://192.0.2.1:80/", HostProblem.IP_ADDRESS),
    "short IPv4": ("127.1", HostProblem.IP_ADDRESS),
    "wide IPv4": ("\uff11\uff19\uff12.0.2.1", HostProblem.IP_ADDRESS),
    "IPv6": ("2001:db8::1", HostProblem.IP_ADDRESS),
    "IPv6 in an address": ("https://[2001:db8::1]:443/", HostProblem.IP_ADDRESS),
    "half an IPv6": ("http://[2001:db8::1", HostProblem.IP_ADDRESS),
    "brackets in an address": ("http://[shop].example", HostProblem.BAD_CHARACTERS),
    "e-mail": ("me@shop.example", HostProblem.EMAIL),
    "Slack's e-mail": ("<mailto:me@shop.example|me@shop.example>", HostProblem.EMAIL),
    "a person": ("<@U0VICTIM>", HostProblem.EMAIL),
    "wildcard": ("*.shop.example", HostProblem.WILDCARD),
    "spaces inside": ("shop example.com", HostProblem.BAD_CHARACTERS),
    "emoji": ("\U0001f4a9.example", HostProblem.BAD_CHARACTERS),
    "control character": ("sh\x00op.example", HostProblem.BAD_CHARACTERS),
    "bidi control": ("\u202eshop.example", HostProblem.BAD_CHARACTERS),
    "half a character": ("\ud800.example", HostProblem.BAD_CHARACTERS),
    "hyphen in front": ("-shop.example", HostProblem.BAD_CHARACTERS),
    "hyphen behind": ("shop-.example", HostProblem.BAD_CHARACTERS),
    "two dots": ("shop..example", HostProblem.BAD_CHARACTERS),
    "percent": ("shop%2e.example", HostProblem.BAD_CHARACTERS),
}

# With halves of characters: JSON can carry them.
ANY_TEXT = st.text(st.characters(), max_size=80)
LABELS = st.from_regex(r"[a-z0-9_]([a-z0-9-]{0,20}[a-z0-9])?", fullmatch=True)
HOSTS = st.builds(
    lambda labels, top: ".".join([*labels, top]),
    st.lists(LABELS, min_size=1, max_size=4),
    st.sampled_from(["example", "com", "xn--p1ai"]),
)
SPELLINGS = st.sampled_from(
    [
        "{}",
        "{}.",
        "http://{}",
        "https://{}:8080/a/b?c=d@e",
        "<http://{}>",
        "<https://{}/?a=1&amp;b=2|label>",
        "`{}`",
        "{}/path",
    ]
)


@loop_over(("typed", "host"), TYPED.values(), ids=TYPED)
def test_every_typed_form_means_the_host_name(typed: str, host: str) -> None:
    assert host_name(typed) == host


@loop_over(("typed", "problem"), NO_HOSTS.values(), ids=NO_HOSTS)
def test_what_is_no_host_name_says_why(typed: str, problem: HostProblem) -> None:
    with pytest.raises(HostNameError) as caught:
        host_name(typed)

    assert caught.value.problem is problem
    assert caught.value.typed == typed


def test_an_error_for_the_log_does_not_repeat_what_was_typed() -> None:
    with pytest.raises(HostNameError) as caught:
        host_name("service_sk_secret")

    assert "secret" not in str(caught.value)


@given(HOSTS, SPELLINGS, st.booleans())
def test_a_host_is_the_same_however_it_is_spelled(host: str, spelling: str, upper: bool) -> None:
    typed = spelling.format(host.upper() if upper else host)

    assert host_name(typed) == host


@given(ANY_TEXT | st.builds("{}.{}".format, ANY_TEXT, ANY_TEXT))
@example("(\u0149.example)")
def test_a_host_name_means_itself(typed: str) -> None:
    try:
        host = host_name(typed)
    except HostNameError:
        return

    assert host_name(host) == host
    assert host.isascii()
    assert len(host) <= MAX_NAME_CHARS


@loop_over("piece", ["ü", "a-.", "\U0001f4a9", "xn--", "&amp;", "<", "\u0300"])
def test_long_input_is_answered_quickly(piece: str) -> None:
    for count in (60, 500, 1_900, 100_000):
        with at_most(processor_s=5), pytest.raises(HostNameError):
            host_name(piece * count + "/?")


@given(ANY_TEXT)
@example("xn--ü")
@example("xn--\ud800")
@example("xn--.xn--a.xn--zzzz")
def test_whatever_the_service_calls_a_domain_can_be_shown(name: str) -> None:
    assert isinstance(unicode_name(name), str)
    assert isinstance(unicode_name(f"xn--{name}"), str)


def test_names_in_any_script_are_decoded_once() -> None:
    names = [f"xn--mnchen{number}-p9a.example" for number in range(10_000)]
    shown = [unicode_name(name) for name in names]

    with at_most(processor_s=0.1):
        assert [unicode_name(name) for name in names] == shown
        assert [host_name(name) for name in names] == names
    typed = [f"münchen{number}.example" for number in range(10_000)]
    meant = [host_name(name) for name in typed]
    with at_most(processor_s=0.1):
        assert [host_name(name) for name in typed] == meant


A, B = "a.example", "b.example"
TEXTS: dict[str, tuple[str, list[str]]] = {
    "nothing": ("", []),
    "no names": ("Is it down? I think so... again.", []),
    "a bare name in a sentence": ("Is a.example down?", [A]),
    "several, once each, in their order": ("b.example a.example B.EXAMPLE.", [B, A]),
    "without spaces": ("a.example,b.example;(c.example)", [A, B, "c.example"]),
    "Slack's links": ("<https://a.example/x?y=1&amp;z=2> <http://b.example|b.example>", [A, B]),
    "a link whose label lies": ("<https://a.example|b.example>", [A]),
    "an address that Slack did not link": ("see https://a.example/b.html!", [A]),
    "Markdown's link": ("[the shop](https://a.example/x)", [A]),
    "in code, bold, italics": ("`a.example` *b.example* _c.example_", [A, B, "c.example"]),
    "a name with an underscore": ("_dmarc.a.example", ["_dmarc.a.example"]),
    "a wildcard": ("*.a.example", [A]),
    "a port": ("a.example:8443 is closed:", [A]),
    "a user in an address": ("postgres://me:secret@a.example/x", [A]),
    "e-mail addresses": ("me@a.example <mailto:me@b.example|me@b.example>", []),
    "people, channels, dates": (
        "<@U1> <#C1|a.example> <!date^1^{date}^https://c.example|b.example> @d.example #e.example",
        [],
    ),
    "numbers": ("3.14 1.5k v1.2.3 10.0.0.1 [::1] 2026-11-22 12.30", []),
    "abbreviations and dots": ("e.g. i.e. ... .. . .a", []),
    "a file with a path": ("bot/blocks/text.py C:\\x.txt", []),
    "own script": ("Schau: münchen.example。", ["xn--mnchen-3ya.example"]),
    "a table": ("|a.example|b.example|", [A, B]),
    "broken markup": ("<https://a.example <b.example >|< >", [A, B]),
}


@loop_over("text, hosts", list(TEXTS.values()), ids=list(TEXTS))
def test_host_names_are_found_in_text(text: str, hosts: list[str]) -> None:
    assert hosts_in({"text": text}) == hosts


RICH = {
    "type": "rich_text",
    "elements": [
        {
            "type": "rich_text_list",
            "elements": [
                {
                    "type": "rich_text_section",
                    "elements": [
                        {"type": "link", "url": "https://a.example/x", "text": "here"},
                        {"type": "text", "text": " and b.example", "style": {"code": True}},
                        {"type": "user", "user_id": "U1"},
                    ],
                }
            ],
        }
    ],
}
BUTTON = {
    "type": "button",
    "text": {"type": "plain_text", "text": "Open"},
    "url": "https://b.example",
}
MESSAGES: dict[str, tuple[Any, list[str]]] = {
    "rich text": ({"text": "", "blocks": [RICH]}, [A, B]),
    "fields and buttons": (
        {
            "blocks": [
                {"type": "section", "fields": [{"text": "*a.example*"}], "accessory": BUTTON}
            ]
        },
        [A, B],
    ),
    "attachments": (
        {"attachments": [{"title_link": "https://a.example", "fields": [{"value": "b.example"}]}]},
        [A, B],
    ),
    "text first": ({"blocks": [RICH], "text": "b.example"}, [B, A]),
    "pictures and faces": (
        {
            "blocks": [{"type": "image", "image_url": "https://a.example/x.png", "alt_text": "-"}],
            "user_profile": {"image_72": "https://b.example"},
            "files": [{"title": "b.example"}],
        },
        [],
    ),
    "parts that are none": ({"text": None, "blocks": "a.example", "attachments": [None, 3]}, []),
    "empty": ({}, []),
}


@loop_over("message, hosts", list(MESSAGES.values()), ids=list(MESSAGES))
def test_host_names_are_found_in_every_part_that_is_read(message: Any, hosts: list[str]) -> None:
    assert hosts_in(message) == hosts


@given(st.text())
def test_whatever_is_written_only_host_names_come_out(text: str) -> None:
    assert all(host_name(host) == host for host in hosts_in({"text": text}))


def test_the_longest_message_takes_no_time() -> None:
    nested: Any = {"text": A}
    for _ in range(5_000):
        nested = {"elements": [nested]}

    with at_most(5):
        found = hosts_in({"text": "ü.example " * 4_000, "blocks": [nested]})
        many = hosts_in({"text": " ".join(f"x{n}.example" for n in range(5_000))})

    assert found == ["xn--tda.example", A]
    assert len(many) == MAX_CANDIDATES
