"""Input as ugly as the world's: every one of them gets a clear sentence, nothing is half done."""

import json
from typing import Any

import pytest

from bot.domains.service import FRESH_FOR
from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

NESTED: Any = "deep"
for _ in range(30):
    NESTED = {"in": NESTED}

BAD_DOMAINS = {
    "3000-characters": ("x" * 3000, "at most 253 characters"),
    "emoji": ("🦄.example", "Enter a valid domain"),
    "right-to-left": ("exa\u202emple.com", "Enter a valid domain"),
    "control-characters": ("a\x07b.example", "Enter a valid domain"),
    "ip-address": ("192.0.2.1", "IP address"),
    "ipv6-address": ("[2001:db8::1]", "IP address"),
    "localhost": ("localhost", "Enter a full domain"),
    "64-character-label": ("a" * 64 + ".example", "at most 63"),
    "254-character-name": (".".join(["a" * 62] * 4) + ".ab", "at most 253 characters"),
    "e-mail": ("bob@example.com", "email address"),
    "wildcard": ("*.example.com", "wildcard"),
    "markup": ("<!channel>", "domain name"),
}


@loop_over(("typed", "text"), BAD_DOMAINS.values(), ids=BAD_DOMAINS.keys())
async def test_an_invalid_domain_is_explained(ready: Harness, typed: str, text: str) -> None:
    for command in ("/scan", "/adddomain"):
        answer = await ready.ask(ready.bob, f"{command} {typed}", verbatim=True)

        assert text in answer.everything, command
        assert answer.mentions == []
        assert ready.tracker.requests == []


@loop_over(
    "typed",
    [
        "x" * 3000,
        "🦄",
        "\u202egnp",
        "\x00\x07",
        "<!channel>",
        "*_~`|",
        '"',
        "tag:",
        ":",
        "tag:" * 50,
    ],
    ids=["long", "emoji", "rtl", "control", "markup", "format", "quote", "tag", "colon", "tags"],
)
async def test_any_filter_is_answered(ready: Harness, typed: str) -> None:
    answer = await ready.ask(ready.bob, f"/domains {typed}", verbatim=True)

    assert answer.text
    assert answer.mentions == []


SCANS: dict[str, Any] = {
    "null-sections": {"whois": None, "dns": None, "ssl": None, "security": None},
    "missing-sections": {"dns": {}},
    "no-section": {"domainId": "d1"},
    "lists": {"whois": [], "dns": [1, "two", None], "ssl": [[]], "security": [{}]},
    "numbers": {"whois": 1, "dns": 2.5, "ssl": True, "security": "grade A"},
    "30-levels": {"dns": NESTED, "ssl": NESTED},
    "5000-records": {"dns": [{"type": "TXT", "value": f"record {n}"} for n in range(5000)]},
    "long-values": {"whois": {f"name{n}": "x" * 5000 for n in range(50)}},
    "issues": {"security": {"issues": ["<!here>", 4, [["x"], []], {}, {"severity": "<@U1>"}]}},
    "500-issues": {"security": [{"severity": "high", "title": f"Issue {n}"} for n in range(500)]},
    "dates": {
        "whois": {"expires": 253402300799000, "expiry": "9999-12-31T23:59:59-12:00"},
        "ssl": {"notAfter": "01/02/2026", "valid_to": "0001-01-01T00:00:00+14:00"},
    },
    "markup": {"dns": {"<!channel>": "<!here> <@U1> *b* `c` | _i_ ~s~ <http://x|y>"}},
}


@loop_over(("name", "sections"), SCANS.items(), ids=SCANS.keys())
async def test_a_scan_of_any_shape_is_shown(ready: Harness, name: str, sections: Any) -> None:
    domain = f"{name}.example"  # of its own, so that it is compared with no other
    ready.account.add(domain, health=50)
    ready.clock.ahead += FRESH_FOR
    ready.tracker.answer_next(body=json.dumps(sections).encode(), on="scan")

    await ready.bob.type(f"/scan {domain}")
    # What was shared of the case before is news to bob, too.
    answer = await ready.bob.next_message(
        where=lambda each: f"Scan of {domain}" in each.everything and "Share" in each.buttons
    )
    titles = [b["title"]["text"] for b in answer.blocks if b["type"] == "container"]
    for number in range(answer.buttons.count("Show all")):
        await ready.bob.press(answer, "Show all", nth=number)
        form = await ready.bob.next_form()
        assert "page 1 of" in form.everything
        await ready.bob.close(form)
    await ready.bob.press(answer, "Share")
    shared = await ready.slack.person("cy").next_message()

    assert [title.split()[0] for title in titles] == ["WHOIS", "DNS", "SSL", "Security"]
    assert f"Scan of {domain}" in shared.everything
    assert (answer.mentions, shared.mentions) == ([], [])


@loop_over("raw", [b"[1, 2", b"[]", b'"scanned"', b"<html>", b"", b"NaN"])
async def test_an_empty_scan_result_is_explained(ready: Harness, raw: bytes) -> None:
    ready.tracker.answer_next(body=raw, on="scan")

    answer = await ready.ask(ready.bob, "/scan shop.example")

    assert "returned an unexpected response" in answer.everything


@loop_over("line", ["/scan a&b.example", "/domains R&D sort:R&D"])
async def test_what_was_typed_is_repeated_as_it_was_typed(ready: Harness, line: str) -> None:
    answer = await ready.ask(ready.bob, line)

    assert line.split()[1] in answer.everything


async def test_a_key_typed_anywhere_is_repeated_nowhere(ready: Harness) -> None:
    for command in ("/domains", "/scan", "/adddomain", "/domainkey"):
        answer = await ready.ask(ready.bob, f"{command} {ready.key}")
        assert ready.key[11:] not in str(answer.content)
        assert "exposed" in answer.everything, command

    secret = ready.key[11:]
    text = [call for call in ready.slack.calls if secret in str(call.arguments)]
    assert text == []
