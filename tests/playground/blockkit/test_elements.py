"""What an element must be, beyond its limits."""

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import (
    Json,
    actions,
    button,
    confirm,
    form_field,
    mrkdwn,
    option,
    options,
    plain,
    rich_text,
)
from tests.playground.blockkit.sentences import (
    NO_CHOICE,
    Refusal,
    conflict,
    malformed,
    missing,
    needs,
    not_a,
    too_few,
    too_large,
    too_small,
    unknown,
    unsupported,
)


def typed(kind: str = "plain_text_input", **fields: Json) -> Json:
    return {"type": kind, "action_id": "typed", **fields}


def menu(kind: str = "static_select", **fields: Json) -> Json:
    return {"type": kind, "options": options(3), **fields}


def number(**fields: Json) -> Json:
    return typed("number_input", is_decimal_allowed=False, **fields)


def filtered(**fields: Json) -> Json:
    return {"type": "conversations_select", "filter": fields}


ONE_OF_THEM = ("bad_value", "must exactly match one of the options")
GROUPS = [{"label": plain(), "options": options(1)}]
TRIGGERS = {"trigger_actions_on": ["on_blur"]}


def duplicate(value: str) -> Refusal:
    return "duplicate", f'`value` "{value}" already exists'


FILTER_KEYS = "`include`, `exclude_external_shared_channels` or `exclude_bot_users`"

REFUSED = {
    "no options": (menu(options=[]), too_few(1), "/options"),
    "neither": ({"type": "static_select"}, needs("`options` or `option_groups`"), "/type"),
    "both": (
        menu(option_groups=GROUPS),
        conflict("cannot provide both `options` and `option_groups`"),
        "",
    ),
    "mrkdwn option": (
        menu(options=[option(text=mrkdwn())]),
        unsupported("mrkdwn"),
        "/options/0/text/type",
    ),
    "mrkdwn description of a plain box": (
        {"type": "checkboxes", "options": [option(description=mrkdwn())]},
        conflict("cannot be `mrkdwn` beside a `plain_text`"),
        "/options/0/description",
    ),
    "option url in a menu": (
        menu(options=[option(url="https://a.example")]),
        unknown("url"),
        "/options/0",
    ),
    "valueless option": (menu(options=[{"text": plain()}]), missing("value"), "/options/0"),
    "initial option": (menu(initial_option=option("9")), ONE_OF_THEM, "/initial_option"),
    "initial options": (
        menu("multi_static_select", initial_options=[option("1"), option("9")]),
        ONE_OF_THEM,
        "/initial_options/1",
    ),
    "initial radio": (
        menu("radio_buttons", initial_option=option("9")),
        ONE_OF_THEM,
        "/initial_option",
    ),
    "initial box": (
        menu("checkboxes", initial_options=[option("9")]),
        ONE_OF_THEM,
        "/initial_options/0",
    ),
    "initial option of a group": (
        {"type": "static_select", "option_groups": GROUPS, "initial_option": option("9")},
        ONE_OF_THEM,
        "/initial_option",
    ),
    "equal values": (
        menu(options=[option("a"), option("b"), option("a")]),
        duplicate("a"),
        "/options/2/value",
    ),
    "equal values of several": (
        menu("multi_static_select", options=[option(), option()]),
        duplicate("a"),
        "/options/1/value",
    ),
    "equal values in two groups": (
        {"type": "static_select", "option_groups": GROUPS * 2},
        duplicate("0"),
        "/option_groups/1/options/0/value",
    ),
    "equal boxes": (
        menu("checkboxes", options=[option(), option()]),
        duplicate("a"),
        "/options/1/value",
    ),
    "equal radio buttons": (
        menu("radio_buttons", options=[option(), option()]),
        duplicate("a"),
        "/options/1/value",
    ),
    "mrkdwn placeholder": (menu(placeholder=mrkdwn()), unsupported("mrkdwn"), "/placeholder/type"),
    "options of a user menu": (menu("users_select"), unknown("options"), ""),
    "none selectable": (
        {"type": "multi_users_select", "max_selected_items": 0},
        too_small(1),
        "/max_selected_items",
    ),
    "negative query": (
        {"type": "external_select", "min_query_length": -1},
        too_small(0),
        "/min_query_length",
    ),
    "empty filter": (filtered(), needs(FILTER_KEYS), "/filter"),
    "filter of a kind": (filtered(include=["dm"]), NO_CHOICE, "/filter/include/0"),
    "styled confirm": (menu(confirm=confirm(style="red")), NO_CHOICE, "/confirm/style"),
    "half a confirm": (
        menu(confirm={"title": plain(), "text": plain(), "confirm": plain()}),
        missing("deny"),
        "/confirm",
    ),
    "date": (
        {"type": "datepicker", "initial_date": "2030-02-30"},
        malformed("must be a date like 2030-01-31"),
        "/initial_date",
    ),
    "short date": (
        {"type": "datepicker", "initial_date": "2030-2-3"},
        malformed("must be a date like 2030-01-31"),
        "/initial_date",
    ),
    "time": (
        {"type": "timepicker", "initial_time": "24:00"},
        malformed("must be a time like 09:30"),
        "/initial_time",
    ),
    "time zone": (
        {"type": "timepicker", "timezone": "Central European Time"},
        malformed("must be a time zone like Europe/Berlin"),
        "/timezone",
    ),
    "moment in milliseconds": (
        {"type": "datetimepicker", "initial_date_time": 1_900_000_000_000},
        too_large(9999999999),
        "/initial_date_time",
    ),
    "moment of nine digits": (
        {"type": "datetimepicker", "initial_date_time": 999_999_999},
        too_small(1_000_000_000),
        "/initial_date_time",
    ),
    "no line": (typed("rich_text_input", min_lines=0), too_small(1), "/min_lines"),
    "negative length": (typed(min_length=-1), too_small(0), "/min_length"),
    "moment as text": (
        {"type": "datetimepicker", "initial_date_time": "1900000000"},
        not_a("an integer"),
        "/initial_date_time",
    ),
    "lengths": (
        typed(min_length=9, max_length=8),
        conflict("must not be more than `max_length`"),
        "/min_length",
    ),
    "no length": (typed(max_length=0), too_small(1), "/max_length"),
    "triggers": (
        typed(dispatch_action_config=TRIGGERS),
        NO_CHOICE,
        "/dispatch_action_config/trigger_actions_on/0",
    ),
    "decimals unsaid": (typed("number_input"), missing("is_decimal_allowed"), ""),
    "number as number": (number(min_value=1), not_a("a string"), "/min_value"),
    "number as words": (
        number(max_value="ten"),
        malformed("must be a number in a string"),
        "/max_value",
    ),
    "numbers": (
        number(min_value="10", max_value="9"),
        conflict("must not be more than `max_value`"),
        "/min_value",
    ),
    "initial number": (
        number(min_value="10", initial_value="9.5"),
        conflict("must lie between `min_value` and `max_value`"),
        "/initial_value",
    ),
    "unnamed rich text": ({"type": "rich_text_input"}, missing("action_id"), ""),
    "plain rich text": (
        typed("rich_text_input", initial_value="Words"),
        not_a("an object"),
        "/initial_value",
    ),
    "lines": (
        typed("rich_text_input", min_lines=3, max_lines=2),
        conflict("must not be more than `max_lines`"),
        "/min_lines",
    ),
    "no file": (typed("file_input", max_files=0), too_small(1), "/max_files"),
    "focus": (typed(focus_on_load=1), not_a("a boolean"), "/focus_on_load"),
}


def test_a_wrong_element_is_refused() -> None:
    for case, (element, refusal, pointer) in REFUSED.items():
        problems = check_blocks([form_field(element)], surface="modal")

        assert problems == [Problem(*refusal, f"/blocks/0/element{pointer}")], case


ACCEPTED = {
    "grouped": {"type": "static_select", "option_groups": GROUPS, "initial_option": option("0")},
    "type-ahead": {"type": "external_select", "min_query_length": 0, "initial_option": option()},
    "channel": {
        "type": "conversations_select",
        "default_to_current_conversation": True,
        "response_url_enabled": True,
        "filter": {"include": ["public", "private"]},
    },
    "formatted boxes": {
        "type": "checkboxes",
        "options": [option(text=mrkdwn(), description=mrkdwn())],
        "initial_options": [option(text=mrkdwn(), description=mrkdwn())],
    },
    "time": {"type": "timepicker", "initial_time": "09:30", "timezone": "America/Port-au-Prince"},
    "leap day": {"type": "datepicker", "initial_date": "2028-02-29"},
    "number": number(min_value="-1.5", initial_value="0", max_value="10"),
    "rich text": typed("rich_text_input", initial_value=rich_text(), min_lines=2, max_lines=2),
    "files": typed("file_input", filetypes=["csv"], max_files=1),
    "no e-mail yet": typed("email_text_input", initial_value=""),
    "no words yet": typed(initial_value="", min_length=0, max_length=1),
    "one line": typed("rich_text_input", min_lines=1, max_lines=1),
    "oldest moment": {"type": "datetimepicker", "initial_date_time": 1_000_000_000},
    "longest": typed(min_length=3000),
    "tallest": typed("rich_text_input", min_lines=100),
    "e-mail": typed("email_text_input", placeholder=plain("you@a.example")),
    "address": typed("url_text_input", initial_value=""),
}


def test_a_right_element_is_accepted_in_a_form() -> None:
    for case, element in ACCEPTED.items():
        assert check_blocks([form_field(element)], surface="modal") == [], case


def test_files_are_asked_for_in_modals_only() -> None:
    (problem,) = check_blocks([form_field(typed("file_input"))])

    assert problem == Problem(
        "not_allowed_here", "unsupported type: file_input", "/blocks/0/element/type"
    )


def test_a_choice_of_files_cannot_be_dispatched() -> None:
    field = form_field(typed("file_input"), dispatch_action=True)

    (problem,) = check_blocks([field], surface="modal")

    assert problem.pointer == "/blocks/0/dispatch_action"


def test_a_button_opens_whole_urls_that_run_nothing() -> None:
    for url, pointers in [
        ("https://a.example/x?y=1", []),
        ("HTTPS://A.EXAMPLE", []),
        ("mailto:a@a.example", []),
        ("a.example", ["/blocks/0/elements/0/url"]),
        ("https://a.example/two words", ["/blocks/0/elements/0/url"]),
        ("slack://app?team=T1&id=A1", []),
        ("javascript:alert(1)", ["/blocks/0/elements/0/url"]),
        ("JavaScript:alert(1)", ["/blocks/0/elements/0/url"]),
        ("data:text/html,x", ["/blocks/0/elements/0/url"]),
        ("vbscript:x", ["/blocks/0/elements/0/url"]),
    ]:
        problems = check_blocks([{"type": "actions", "elements": [button(url=url)]}])

        assert [problem.pointer for problem in problems] == pointers, (url, pointers)


def test_an_overflow_menu_tells_its_options_apart_by_their_value() -> None:
    overflow = {"type": "overflow", "options": [option(), option()]}

    (problem,) = check_blocks([actions(overflow)])

    assert (problem.code, problem.pointer) == ("duplicate", "/blocks/0/elements/0/options/1/value")
