"""Each limit of an element or composition object: at the limit accepted, one past it refused."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import (
    Json,
    actions,
    button,
    confirm,
    form_field,
    image,
    mrkdwn,
    option,
    options,
    plain,
    section,
)


@dataclass(frozen=True)
class Limit:
    """The element is tried as an action, an accessory or a form's field, in a modal."""

    name: str
    most: int
    element: Callable[[int], Json]
    pointer: str
    where: Literal["elements/0", "accessory", "element"] = "elements/0"


def menu(**fields: Json) -> Json:
    return {"type": "static_select", "options": options(1), **fields}


def grouped(groups: list[Json]) -> Json:
    return {"type": "static_select", "option_groups": groups}


def group(count: int = 1, label: str = "Own") -> Json:
    return {"label": plain(label), "options": options(count)}


def groups(count: int) -> list[Json]:
    return [{"label": plain("Own"), "options": [option(str(index))]} for index in range(count)]


def typed(kind: str = "plain_text_input", **fields: Json) -> Json:
    return {"type": kind, "action_id": "typed", **fields}


def boxes(count: int, kind: str = "checkboxes") -> Json:
    return {"type": kind, "options": options(count)}


def words(**fields: Json) -> Json:
    return menu(options=[option(**fields)])


def overflow(**fields: Json) -> Json:
    return {"type": "overflow", "options": [option(**fields)]}


def box(**fields: Json) -> Json:
    return {"type": "checkboxes", "options": [option(**fields)]}


def dispatching(count: int) -> Json:
    return typed(dispatch_action_config={"trigger_actions_on": ["on_enter_pressed"] * count})


def including(count: int) -> Json:
    return {"type": "conversations_select", "filter": {"include": ["im"] * count}}


def hinted(kind: str, chars: int) -> Json:
    return typed(kind, placeholder=plain("a" * chars))


def url(chars: int) -> str:
    return "https://a.example/".ljust(chars, "a")


FIRST = "/options/0"
HINT = "/placeholder/text"
TRIGGERS = "/dispatch_action_config/trigger_actions_on"
LIMITS = [
    Limit("action_id", 255, lambda n: button(action_id="a" * n), "/action_id"),
    Limit("button text", 75, lambda n: button(text=plain("a" * n)), "/text/text"),
    Limit("button value", 2000, lambda n: button(value="a" * n), "/value"),
    Limit("button url", 3000, lambda n: button(url=url(n)), "/url"),
    Limit(
        "spoken label", 75, lambda n: button(accessibility_label="a" * n), "/accessibility_label"
    ),
    Limit("agent prompt", 4000, lambda n: button(agent_prompt="a" * n), "/agent_prompt"),
    Limit("viewers", 10, lambda n: button(visible_to_user_ids=["U1"] * n), "/visible_to_user_ids"),
    Limit("confirm title", 100, lambda n: asking(title=plain("a" * n)), "/confirm/title/text"),
    Limit("confirm text", 300, lambda n: asking(text=mrkdwn("a" * n)), "/confirm/text/text"),
    Limit("confirm yes", 30, lambda n: asking(confirm=plain("a" * n)), "/confirm/confirm/text"),
    Limit("confirm no", 30, lambda n: asking(deny=plain("a" * n)), "/confirm/deny/text"),
    Limit("options", 100, lambda n: menu(options=options(n)), "/options"),
    Limit("groups", 100, lambda n: grouped(groups(n)), "/option_groups"),
    Limit("grouped", 100, lambda n: grouped([group(n)]), "/option_groups/0/options"),
    Limit("group", 75, lambda n: grouped([group(1, "a" * n)]), "/option_groups/0/label/text"),
    Limit("placeholder", 150, lambda n: menu(placeholder=plain("a" * n)), "/placeholder/text"),
    Limit("option text", 75, lambda n: words(text=plain("a" * n)), f"{FIRST}/text/text"),
    Limit("option value", 150, lambda n: words(value="a" * n), f"{FIRST}/value"),
    Limit(
        "option note", 75, lambda n: words(description=plain("a" * n)), f"{FIRST}/description/text"
    ),
    Limit("overflow url", 3000, lambda n: overflow(url=url(n)), f"{FIRST}/url"),
    Limit("overflow", 5, lambda n: boxes(n, "overflow"), "/options"),
    Limit("checkboxes", 10, lambda n: boxes(n), "/options"),
    Limit("box text", 75, lambda n: box(text=mrkdwn("a" * n)), f"{FIRST}/text/text"),
    Limit("box note", 75, lambda n: box(description=plain("a" * n)), f"{FIRST}/description/text"),
    Limit("item text", 75, lambda n: overflow(text=plain("a" * n)), f"{FIRST}/text/text"),
    Limit(
        "item note",
        75,
        lambda n: overflow(description=plain("a" * n)),
        f"{FIRST}/description/text",
    ),
    Limit("triggers", 2, dispatching, TRIGGERS, "element"),
    Limit("filter", 4, including, "/filter/include"),
    Limit("radio buttons", 10, lambda n: boxes(n, "radio_buttons"), "/options"),
    Limit("image alt", 2000, lambda n: image(alt_text="a" * n), "/alt_text", "accessory"),
    Limit("image url", 3000, lambda n: image(image_url=url(n)), "/image_url", "accessory"),
    Limit("min_length", 3000, lambda n: typed(min_length=n), "/min_length", "element"),
    Limit("max_length", 3000, lambda n: typed(max_length=n), "/max_length", "element"),
    Limit("typed", 3000, lambda n: typed(initial_value="a" * n), "/initial_value", "element"),
    Limit("lines", 100, lambda n: typed("rich_text_input", max_lines=n), "/max_lines", "element"),
    Limit("hint inside", 150, lambda n: hinted("url_text_input", n), HINT, "element"),
    Limit("hint of a date", 150, lambda n: hinted("datepicker", n), HINT),
    Limit("hint of a time", 150, lambda n: hinted("timepicker", n), HINT),
    Limit(
        "fewest lines",
        100,
        lambda n: typed("rich_text_input", min_lines=n),
        "/min_lines",
        "element",
    ),
    Limit("files", 10, lambda n: typed("file_input", max_files=n), "/max_files", "element"),
    Limit(
        "moment",
        9_999_999_999,
        lambda n: {"type": "datetimepicker", "initial_date_time": n},
        "/initial_date_time",
    ),
]


def asking(**fields: Json) -> Json:
    return button(confirm=confirm(**fields))


def check(limit: Limit, size: int) -> list[Problem]:
    element = limit.element(size)
    blocks = {
        "elements/0": actions(element),
        "accessory": section(accessory=element),
        "element": form_field(element),
    }
    return check_blocks([blocks[limit.where]], surface="modal")


def test_an_element_at_its_limit_is_accepted() -> None:
    for limit in LIMITS:
        assert check(limit, limit.most) == [], limit.name


def test_an_element_past_its_limit_is_refused_where_it_is_too_big() -> None:
    for limit in LIMITS:
        problems = check(limit, limit.most + 1)

        assert [problem.pointer for problem in problems] == [
            f"/blocks/0/{limit.where}{limit.pointer}"
        ], limit.name
        assert problems[0].code in {"too_long", "too_many", "too_large"}, limit.name
