"""Input as ugly as the world's: every one of them gets a clear sentence, nothing is half done.

A mistyped line: what is wrong in one sentence, and the line that is meant as a button.
"""

import pytest

from tests.loops import loop_over
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")

BAD_DOMAINS = {
    "3000-characters": ("x" * 3000, "at most 253 characters"),
    "right-to-left": ("exa\u202emple.com", "Enter a valid domain"),
    "ip-address": ("192.0.2.1", "IP address"),
    "localhost": ("localhost", "Enter a full domain"),
    "e-mail": ("bob@example.com", "email address"),
    "markup": ("<!channel>", "domain name"),
}


@loop_over(("typed", "text"), BAD_DOMAINS.values(), ids=BAD_DOMAINS.keys())
async def test_an_invalid_domain_is_explained(ready: Harness, typed: str, text: str) -> None:
    for command in ("/scan", "/adddomain"):
        answer = await ready.ask(ready.bob, f"{command} {typed}", verbatim=True)

        assert text in answer.everything, command
        assert answer.mentions == []
        assert ready.tracker.requests == []


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


@loop_over(
    ("line", "sentence", "meant"),
    [
        ("expirs:30", "I don't know `expirs:`. Did you mean `/domains expires:30`?", "expires:30"),
        ("below:low", "`below:` needs a number from 0 to 100, such as `below:70`.", "below:70"),
        ("tag:eu colour:red", "I don't know `colour:`.", "tag:eu"),
        ("shop belw:low", "Did you mean `/domains shop below:70`?", "shop below:70"),
    ],
)
async def test_the_line_that_is_meant_is_a_button(
    ready: Harness, line: str, sentence: str, meant: str
) -> None:
    answer = await ready.ask(ready.bob, f"/domains {line}")

    assert sentence in answer.everything
    assert "Nothing was changed" not in answer.everything
    assert answer.buttons == [f"/domains {meant}", "Help"]
    result = await ready.press(ready.bob, answer, f"/domains {meant}")
    assert "I don't know" not in result.everything
    assert "needs a" not in result.everything


async def test_what_adds_says_that_nothing_was_changed_and_names_every_part(
    ready: Harness,
) -> None:
    answer = await ready.ask(ready.bob, "/adddomain foo new2.example tga:prod type:")

    for said in ("`foo` is not a domain name", "I don't know `tga:`", "`type:` needs a value"):
        assert said in answer.everything
    assert "Nothing was changed." in answer.everything
    assert "new2.example" not in str(ready.account.domains)


async def test_help_shows_the_examples(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/domains colour:red")

    shown = await ready.press(ready.bob, answer, "Help")

    assert "names containing" in shown.everything


@loop_over(("command", "is_scan"), [("/domains", False), ("/scan", True)])
async def test_a_filter_that_finds_nothing_as_nothing_was_scanned_says_so(
    ready: Harness, command: str, is_scan: bool
) -> None:
    answer = await ready.ask(ready.bob, f"{command} expires:30")

    assert "None of your 3 domains was scanned" in answer.everything
    question = await ready.press(ready.bob, answer, "Scan all 3")
    assert "Scan 3 domains?" in question.everything
