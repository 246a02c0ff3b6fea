"""`rich_text` as HTML. Pure.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

import html

from bot.playground.page.drawing.emoji import emoji
from bot.playground.page.drawing.links import link_html
from bot.playground.page.drawing.mrkdwn import mention_html, moment_html
from bot.playground.page.drawing.sheet import Json, Names

_STYLES = {"bold": "b", "italic": "i", "strike": "s", "underline": "u"}
_MAX_INDENT = 8


def rich_text_html(block: Json, names: Names) -> str:
    """Return everything in a `rich_text` block."""
    return "".join(_part_html(part, names) for part in block["elements"])


def _part_html(part: Json, names: Names) -> str:
    if part["type"] == "rich_text_list":
        return _list_html(part, names)
    shown = "".join(_inline_html(inline, names) for inline in part["elements"])
    match part["type"]:
        case "rich_text_quote":
            return f'<blockquote class="bk-quote">{shown}</blockquote>'
        case "rich_text_preformatted":
            return f'<pre class="bk-pre">{shown}</pre>'
        case "rich_text_section":
            return f'<div class="bk-line">{shown}</div>'
    raise ValueError(f"unsupported type: {part['type']}")


def _list_html(part: Json, names: Names) -> str:
    tag = "ol" if part["style"] == "ordered" else "ul"
    indent = min(int(part.get("indent") or 0), _MAX_INDENT)
    start = f' start="{int(part.get("offset") or 0) + 1}"' if tag == "ol" else ""
    border = " bk-quote" if part.get("border") else ""
    items = "".join(f"<li>{_part_html(item, names)}</li>" for item in part["elements"])
    return f'<{tag} class="bk-list bk-indent-{indent}{border}"{start}>{items}</{tag}>'


def _inline_html(inline: Json, names: Names) -> str:
    style = inline.get("style") or {}
    shown = _plain_inline_html(inline, names)
    for name, tag in _STYLES.items():
        if style.get(name):
            shown = f"<{tag}>{shown}</{tag}>"
    return f'<code class="bk-code">{shown}</code>' if style.get("code") else shown


def _plain_inline_html(inline: Json, names: Names) -> str:
    match inline["type"]:
        case "text":
            return html.escape(inline["text"])
        case "link":
            return link_html(inline["url"], html.escape(inline.get("text") or inline["url"]))
        case "emoji":
            return html.escape(_emoji_of(inline))
        case "date":
            fallback = str(inline.get("fallback") or "")
            url = str(inline.get("url") or "")
            return moment_html(inline["timestamp"], inline["format"], fallback, url, names)
        case "color":
            return _color_html(str(inline["value"]))
        case "broadcast":
            return mention_html(f"@{inline['range']}", is_loud=True)
    return _mention_html(inline, names)


def _mention_html(inline: Json, names: Names) -> str:
    match inline["type"]:
        case "user":
            return mention_html(f"@{names.user(inline['user_id']) or inline['user_id']}")
        case "channel":
            channel_id = inline["channel_id"]
            return mention_html(f"#{names.channel(channel_id) or channel_id}")
        case "usergroup":
            group_id = inline["usergroup_id"]
            return mention_html(f"@{names.user_group(group_id) or group_id}", is_loud=True)
        case "team":
            return mention_html(f"@{inline['team_id']}")
    raise ValueError(f"unsupported type: {inline['type']}")


def _emoji_of(inline: Json) -> str:
    try:
        return "".join(chr(int(code, 16)) for code in str(inline["unicode"]).split("-"))
    except (KeyError, ValueError, OverflowError):
        return emoji(inline["name"])


def _color_html(value: str) -> str:
    digits = value.removeprefix("#")
    if len(digits) != 6 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
        return html.escape(value)
    return f'<span class="bk-color"><i style="background:#{digits}"></i>#{digits}</span>'
