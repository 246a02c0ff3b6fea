from collections.abc import Callable

from bot.tracker.decoding import MAX_DEPTH
from bot.tracker.error_messages import (
    Refusal,
    detail_in_json,
    letters,
    refusal_in_json,
    refusal_in_text,
    says_failure,
)
from bot.tracker.models import (
    InsufficientPermissionsError,
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
)
from tests.loops import loop_over
from tests.stopwatch import at_most

FOUR = [
    ("Invalid API key", InvalidKeyError),
    ("Insufficient permissions", InsufficientPermissionsError),
    ("IP address not allowed", IpNotAllowedError),
    ("Rate limit exceeded", RateLimitedError),
]
DRESSINGS = {
    "as-documented": lambda message: message,
    "upper": str.upper,
    "lower": str.lower,
    "snake": lambda message: message.lower().replace(" ", "_"),
    "kebab": lambda message: message.lower().replace(" ", "-"),
    "camel": lambda message: message.title().replace(" ", ""),
    "odd-space": lambda message: message.replace(" ", "\u00a0\t\n "),
    "sentence": lambda message: f"Error: {message}. See the manual!",
    "html": lambda message: f"<html><h1 class='x'>{message}</h1></html>",
    "entities": lambda message: message.replace(" ", "&nbsp;").replace("e", "&#101;"),
    "tags-inside": lambda message: message.replace(" ", " <b>") + "</b></b>",
}


@loop_over("dressed", DRESSINGS.values(), ids=DRESSINGS)
@loop_over(("message", "refusal"), FOUR)
def test_messages_are_read(dressed: Callable[[str], str], message: str, refusal: Refusal) -> None:
    assert refusal_in_text(dressed(message)) is refusal


@loop_over(
    "value",
    [
        "Invalid API key",
        ["Invalid API key"],
        {"error": "Invalid API key"},
        {"status": "failed", "error": "Invalid API key"},
        {"error": {"code": 17, "info": [{"text": "invalid_api_key"}]}},
        {"errors": [None, 5, {"detail": "Invalid API key (expired)"}]},
        {"body": '{"error": "Invalid API key"}'},
        {"error": {"domain": "global", "message": "Invalid API key"}},
    ],
)
def test_a_message_is_known_in_json_of_any_form(value: object) -> None:
    assert refusal_in_json(value) is InvalidKeyError


@loop_over(
    "value",
    [
        {"domain": "a.example", "notes": "Rate limit exceeded"},
        {"domainId": "d1", "owner": {"name": "Rate limit exceeded"}},
        {"folder": "Rate limit exceeded", "tags": ["Invalid API key"]},
        [{"domain": "a.example", "folder": "Invalid API key"}],
        {"error": "Conflict", "domain": {"folder": "Rate limit exceeded"}},
        {"error": "Not found"},
        None,
        17,
    ],
)
def test_the_words_of_people_are_no_message(value: object) -> None:
    assert refusal_in_json(value) is None


@loop_over(
    "text",
    [
        "<!-- Invalid API key --><p>Welcome</p>",
        "<script>say('Invalid API key')</script>",
        "<a href='/help/invalid-api-key'>Help</a>",
        "<style>.rate-limit-exceeded {}</style>",
        "Invalid key",
    ],
)
def test_what_no_reader_sees_is_no_message(text: str) -> None:
    assert refusal_in_text(text) is None


def test_the_first_of_several_messages_counts() -> None:
    assert refusal_in_text("IP address not allowed, not: Invalid API key") is IpNotAllowedError


@loop_over(
    ("value", "is_failure"),
    [
        ({"error": "x"}, True),
        ({"Errors": ["x"]}, True),
        ({"success": False}, True),
        ({"ok": False}, True),
        ({"status": "Error"}, True),
        ({"error": None, "errors": [], "success": True, "status": "ok"}, False),
        ({"id": 1}, False),
        (["error"], False),
    ],
)
def test_an_object_that_calls_itself_an_error_is_one(value: object, is_failure: bool) -> None:
    assert says_failure(value) is is_failure


@loop_over(
    ("value", "said"),
    [
        ({"error": "Bad Request", "message": "No such type"}, "No such type"),
        ({"error": {"code": "E1", "message": "No such type"}}, "No such type"),
        ({"detail": [{"loc": ["body"], "msg": "No such type"}]}, "No such type"),
        ({"ERROR": " No\n<b>such</b>\x07type "}, "No such type"),
        ({"error": True, "other": "words"}, None),
        ({"error": " "}, None),
        ("No such type", None),
    ],
)
def test_the_services_own_words_are_found(value: object, said: str | None) -> None:
    assert detail_in_json(value) == said


def test_long_words_are_clipped() -> None:
    said = detail_in_json({"error": "x" * 5000})

    assert said == "x" * 199 + "…"


def test_an_entity_with_an_endless_number_is_left_alone() -> None:
    assert refusal_in_text("Invalid API key &#" + "9" * 5000 + ";") is InvalidKeyError


def test_a_message_is_found_however_deep_it_lies() -> None:
    said: object = "Invalid API key"
    for _ in range(MAX_DEPTH // 2):
        said = {"error": [said]}

    assert refusal_in_json(said) is InvalidKeyError
    assert detail_in_json(said) == "Invalid API key"


@loop_over("part", ["<", "<!--", "<script", "<a ", "&#", "</style ", "x<!--"])
def test_no_markup_makes_the_search_slow(part: str) -> None:
    with at_most(processor_s=2):
        letters(part * 1_000_000)
