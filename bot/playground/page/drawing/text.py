"""Text objects, standard Markdown and `rich_text` as HTML. Pure."""

import html
from html.parser import HTMLParser

from nicegui.elements.markdown import prepare_content

from bot.playground.page.drawing.context import Json, Names
from bot.playground.page.drawing.mrkdwn import (
    emoji,
    is_followed,
    link_html,
    mention_html,
    moment_html,
    mrkdwn_html,
    with_emoji,
)

# fmt: off
_MARKDOWN_TAGS = {
    "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i",
    "li", "ol", "p", "pre", "s", "strike", "strong", "table", "tbody", "td", "th", "thead", "tr",
    "ul",
}
# fmt: on
_HEADINGS = {f"h{level}" for level in range(1, 7)}
_VOID = {"br", "hr"}


def text_html(text: Json, names: Names) -> str:
    """Return a text object of either kind."""
    if text["type"] == "mrkdwn":
        return mrkdwn_html(text["text"], names=names, verbatim=bool(text.get("verbatim")))
    return html.escape(plain_words(text))


def plain_words(text: Json | None) -> str:
    """Return the words of a `plain_text` object, not escaped; nothing where there is none."""
    if not text:
        return ""
    return str(text["text"]) if text.get("emoji") is False else with_emoji(str(text["text"]))


def markdown_html(text: str) -> str:
    """Return standard Markdown as safe HTML: headings all of one size, pictures as links.

    https://docs.slack.dev/reference/block-kit/blocks/markdown-block
    """
    cleaner = _Cleaner()
    cleaner.feed(prepare_content(text, "fenced-code-blocks tables strike cuddled-lists"))
    cleaner.close()
    return "".join([*cleaner.made, *(f"</{tag}>" for tag in reversed(cleaner.open))])


class _Cleaner(HTMLParser):
    """Writes again what a Markdown renderer wrote: known tags without attributes, safe links.

    Any other tag, thus one that stood in the text itself, is shown as it was typed.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.made: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "img" and is_followed(given.get("src", "")):
            self.made.append(link_html(given.get("src", ""), html.escape(given.get("alt", ""))))
        elif tag == "a" and is_followed(given.get("href", "")):
            self.made.append(link_html(given["href"], "").removesuffix("</a>"))
            self.open.append("a")
        elif tag in _MARKDOWN_TAGS:
            shown = 'p class="bk-heading"' if tag in _HEADINGS else tag
            self.made.append(f"<{shown}>")
            if tag not in _VOID:
                self.open.append("p" if tag in _HEADINGS else tag)
        elif tag not in ("a", "span", "div"):  # these are the renderer's own wrappings
            self.made.append(html.escape(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "img":
            return  # the renderer writes <img/>; the link in its place is closed already
        tag = "p" if tag in _HEADINGS else tag
        if tag not in _MARKDOWN_TAGS | {"a", "span", "div"}:
            self.made.append(html.escape(f"</{tag}>"))
        while tag in self.open:
            closed = self.open.pop()
            self.made.append(f"</{closed}>")
            if closed == tag:
                return

    def handle_data(self, data: str) -> None:
        self.made.append(html.escape(with_emoji(data)))


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
