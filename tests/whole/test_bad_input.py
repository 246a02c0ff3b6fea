"""Input as ugly as the world's: every one of them gets a clear sentence, nothing is half done."""

import pytest

from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

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
