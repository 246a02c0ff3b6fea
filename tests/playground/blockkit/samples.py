"""Payloads that Slack takes, built small; a test changes the one thing it is about."""

from copy import deepcopy
from typing import Any

Json = Any


def plain(text: str = "Words") -> Json:
    return {"type": "plain_text", "text": text}


def mrkdwn(text: str = "*Words*") -> Json:
    return {"type": "mrkdwn", "text": text}


def button(**fields: Json) -> Json:
    return {"type": "button", "text": plain("Scan"), "action_id": "scan", **fields}


def option(value: str = "a", **fields: Json) -> Json:
    return {"text": plain("A"), "value": value, **fields}


def options(count: int) -> list[Json]:
    return [option(str(index)) for index in range(count)]


def confirm(**fields: Json) -> Json:
    words = {"title": plain(), "text": mrkdwn(), "confirm": plain("Yes"), "deny": plain("No")}
    return {**words, **fields}


def section(**fields: Json) -> Json:
    return {"type": "section", "text": mrkdwn(), **fields}


def actions(*elements: Json, **fields: Json) -> Json:
    return {"type": "actions", "elements": list(elements or [button()]), **fields}


def form_field(element: Json, **fields: Json) -> Json:
    return {"type": "input", "label": plain("Domain"), "element": element, **fields}


def cell(text: str = "-") -> Json:
    return {"type": "raw_text", "text": text}


def data_table(rows: int = 2, columns: int = 2, **fields: Json) -> Json:
    cells = [[cell()] * columns for _ in range(rows)]
    return {"type": "data_table", "caption": "Health", "rows": cells, **fields}


def line_chart(points: int = 2, series: int = 1, **fields: Json) -> Json:
    labels = [f"day {index}" for index in range(points)]
    data = [{"label": label, "value": -1.5} for label in labels]
    lines = [{"name": f"line {index}", "data": deepcopy(data)} for index in range(series)]
    return {"type": "line", "series": lines, "axis_config": {"categories": labels}, **fields}


def chart(drawn: Json = None, **fields: Json) -> Json:
    return {"type": "data_visualization", "title": "T", "chart": drawn or line_chart(), **fields}


def container(*children: Json, **fields: Json) -> Json:
    return {"type": "container", "title": plain(), "child_blocks": list(children), **fields}


def modal(*blocks: Json, **fields: Json) -> Json:
    return {
        "type": "modal",
        "title": plain("Scan"),
        "submit": plain("Scan"),
        "blocks": list(blocks or [section()]),
        **fields,
    }


def home(*blocks: Json, **fields: Json) -> Json:
    return {"type": "home", "blocks": list(blocks or [section()]), **fields}


# One of each block and element that the bot sends, as rich as it may be in a message.
EVERY_MESSAGE_BLOCK: list[Json] = [
    section(accessory=button(confirm=confirm()), fields=[plain(), mrkdwn()], block_id="first"),
    {"type": "header", "text": plain()},
    {"type": "divider"},
    {"type": "context", "elements": [mrkdwn(), plain()]},
    actions(button(), {"type": "static_select", "options": options(2)}),
    form_field({"type": "plain_text_input", "action_id": "typed"}),
    data_table(rows=3, page_size=2, row_header_column_index=1),
    chart(),
    container(
        section(block_id="inside"), subtitle=plain(), is_collapsible=True, default_collapsed=True
    ),
]
