"""What people see of a message or a view: its text, its buttons, and whom it would ping. Pure."""

import html
import re
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

# https://docs.slack.dev/messaging/formatting-message-text
_MARKUP = re.compile(r"<([^<>]+)>")
_PING = re.compile(
    r"<(?:!(?:channel|here|everyone|subteam\^[^<>|]+)|@[UW][A-Z0-9]+)(?:\|[^<>]*)?>"
)
_LITERAL_PING = re.compile(r"(?<!\w)@(channel|here|everyone)\b")
_MARKUP_TYPES = {"mrkdwn", "markdown"}
# Not on the screen until somebody opens it, or never.
_UNSEEN_KEYS = {"confirm", "options", "option_groups", "block_id", "action_id", "value_id"}
_LISTED_TYPES = {"radio_buttons", "checkboxes"}  # show their options without being opened
_SHOWN_KEYS = {"caption", "title", "name", "label", "value", "x_label", "y_label", "alt_text"}
_SHOWN_KEYS |= {"initial_value", "initial_date", "initial_time", "fallback"}
_RUNNING_TEXT = {"rich_text_section", "rich_text_quote", "rich_text_preformatted"}
_PINGING_ELEMENTS = {"user": "<@{user_id}>", "usergroup": "<!subteam^{usergroup_id}>"}


def shown_markup(text: str) -> str:
    """Return mrkdwn as read: links by their label, dates by their fallback, entities decoded."""
    return html.unescape(_MARKUP.sub(_shown_link, text))


def _shown_link(match: re.Match[str]) -> str:
    target, bar, label = match[1].partition("|")
    if target[:1] in "@#!":
        return label if bar else match[0]
    return label or target


def everything(text: str, blocks: list[Json]) -> str:
    """Return all that is on the screen as one string; `text` shows only where no block does."""
    return "\n".join(_shown(blocks)) if blocks else shown_markup(text)


def _shown(node: Any) -> Iterator[str]:
    """Yield the visible texts of any Block Kit object, in the order of the document."""
    if isinstance(node, list):
        for item in node:
            yield from _shown_row(item) if isinstance(item, list) else _shown(item)
    elif isinstance(node, dict):
        yield from _shown_object(node)


def _shown_row(cells: list[Any]) -> Iterator[str]:
    yield " | ".join(" ".join(_shown(cell)) for cell in cells)


def _shown_object(node: Json) -> Iterator[str]:
    unseen = _UNSEEN_KEYS - ({"options"} if node.get("type") in _LISTED_TYPES else set())
    if node.get("type") == "button":
        unseen |= {"value"}
    if node.get("type") == "action_cell":
        unseen |= {"fallback"}  # the button itself is shown
    if node.get("type") in _RUNNING_TEXT:
        yield "".join(part for item in node.get("elements") or [] for part in _shown(item))
        return
    if node.get("type") == "link":
        yield str(node.get("text") or node.get("url"))
        return
    for key, value in node.items():
        if key in unseen:
            continue
        if key == "text" and isinstance(value, str):
            yield shown_markup(value) if node.get("type") in _MARKUP_TYPES else value
        elif key in _SHOWN_KEYS and isinstance(value, str | int | float):
            # A number's own text is shown in its place, an option's value never.
            if not (key == "value" and "text" in node):
                yield str(value)
        else:
            yield from _shown(value)


def objects(node: Any) -> Iterator[Json]:
    """Yield every JSON object below `node`, itself included, outermost first."""
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from objects(value)
    elif isinstance(node, list):
        for item in node:
            yield from objects(item)


def mentions(content: Json) -> list[str]:
    """Return what a message would ping, as `<!channel>`, `<@U1>`, `<!subteam^S1>`, in order."""
    text = str(content.get("text") or "")
    found = _pings(text) + _pings(str(content.get("markdown_text") or ""))
    if content.get("link_names") or content.get("parse") == "full":
        found += [f"<!{name}>" for name in _LITERAL_PING.findall(text)]
    for node in objects(content.get("blocks") or []):
        kind = node.get("type")
        if kind in _MARKUP_TYPES and isinstance(node.get("text"), str):
            found += _pings(node["text"])
        elif kind == "broadcast":
            found.append(f"<!{node.get('range')}>")
        elif kind in _PINGING_ELEMENTS and f"{kind}_id" in node:
            found.append(_PINGING_ELEMENTS[kind].format_map(node))
    return found


def _pings(text: str) -> list[str]:
    return [match[0].partition("|")[0].rstrip(">") + ">" for match in _PING.finditer(text)]


def buttons(blocks: list[Json]) -> list[str]:
    """Return the labels of all buttons, in order, wherever they sit."""
    return [label(node) for node in objects(blocks) if node.get("type") == "button"]


def label(button: Json) -> str:
    """Return the words on a button or of an option."""
    text = button.get("text")
    return str(text.get("text", "")) if isinstance(text, dict) else ""
