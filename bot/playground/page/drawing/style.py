"""The look of everything drawn: one style sheet, light and dark."""

from pathlib import Path

_SHEETS = ("colors.css", "text.css", "blocks.css", "fields.css")
STYLE = "\n".join(Path(__file__).with_name(name).read_text("utf-8") for name in _SHEETS)
