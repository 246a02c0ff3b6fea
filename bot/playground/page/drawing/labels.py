"""How an element is called by those who do not see where it stands."""

from dataclasses import dataclass

from nicegui.element import Element

from bot.playground.page.drawing.sheet import Json
from bot.playground.page.drawing.text import plain_words


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a field: a `<label>` on the page for it, or else its own words."""

    words: str
    label_id: str = ""
    field_id: str = ""
    is_wrong: bool = False  # the bot refused what is filled in
    is_optional: bool = False

    def name_field(self, field: Element) -> None:
        """Name one of Quasar's fields; its real input gets the id the label points at."""
        if self.field_id:
            field.props["for"] = self.field_id
        else:
            field.props["aria-label"] = self.words
        if self.is_wrong:
            field.props["error"] = True
            field.props["no-error-icon"] = True
        field.props["hide-bottom-space"] = True

    def name_group(self, group: Element, role: str) -> None:
        """Name several inputs that belong together."""
        group.props["role"] = role
        if self.label_id:
            group.props["aria-labelledby"] = self.label_id
        else:
            group.props["aria-label"] = self.words


def label_beside(block: Json, element: Json) -> Label:
    """Return the name of an element outside an `input`: its placeholder or the text beside it."""
    text = block.get("text")
    beside = text.get("text") if isinstance(text, dict) else None
    return Label(plain_words(element.get("placeholder")) or str(beside or element["type"]))
