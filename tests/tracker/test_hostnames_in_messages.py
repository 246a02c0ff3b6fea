"""Host names in what people and bots have written in Slack."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.tracker.hostnames import MAX_CANDIDATES, host_name, hosts_in
from tests.loops import loop_over
from tests.stopwatch import at_most

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
