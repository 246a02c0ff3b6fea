"""Square pictures with initials: no image is loaded from anywhere."""

from nicegui import ui

_HUES = (205, 12, 145, 265, 330, 48, 180, 95)


def draw_avatar(name: str, *, kind: str = "person", is_small: bool = False) -> None:
    """Draw somebody; `kind` is "person", "app" or "slackbot". Screen readers skip it."""
    classes = f"sk-avatar sk-avatar-{kind}" + (" sk-avatar-small" if is_small else "")
    drawn = ui.element("div").classes(classes).props("aria-hidden=true")
    if kind == "person":
        drawn.style(f"background: hsl({_hue(name)} 45% 42%)")
    with drawn:
        ui.label(initials(name))


def initials(name: str) -> str:
    """Return one or two capital letters for a name."""
    words = [word for word in name.replace("_", " ").split() if word[0].isalnum()]
    return "".join(word[0] for word in words[:2]).upper() or "?"


def _hue(name: str) -> int:
    return _HUES[sum(map(ord, name)) % len(_HUES)]
