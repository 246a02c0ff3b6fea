"""Text objects and standard Markdown as HTML. Pure."""

import html
from html.parser import HTMLParser

from nicegui.elements.markdown import prepare_content

from bot.playground.page.drawing.emoji import with_emoji
from bot.playground.page.drawing.links import is_followed, link_html
from bot.playground.page.drawing.mrkdwn import mrkdwn_html
from bot.playground.page.drawing.sheet import Json, Names

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
