"""HTML for addresses from outside. Pure.

The one place that decides which address may be followed, and which picture may be loaded.
"""

import html
import re

# What an address can carry without running anything in the page.
_FOLLOWED = re.compile(r"(?:https?|mailto|tel|slack):[^\s]+", re.IGNORECASE)
# The page works offline: a picture from elsewhere would be asked for over the network.
_NEAR = re.compile(
    r"(?:https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?(?:/\S*)?"
    r"|data:image/(?:png|jpe?g|gif);base64,[A-Za-z0-9+/=]+)",
    re.IGNORECASE,
)


def link_html(url: str, label_html: str) -> str:
    """Return a link, or only its label where the address must not be followed."""
    if not is_followed(url):
        return label_html
    return (
        f'<a class="bk-link" href="{html.escape(url)}" target="_blank"'
        f' rel="noopener noreferrer">{label_html}</a>'
    )


def is_followed(url: str) -> bool:
    """Tell whether a link may lead there."""
    return bool(_FOLLOWED.fullmatch(url))


def leads_inside(url: str) -> bool:
    """Tell whether Slack's client opens a link by itself, with no browser.

    https://docs.slack.dev/interactivity/deep-linking
    """
    return url.lower().startswith("slack:")


def image_html(image: dict[str, object], css_class: str) -> str:
    """Return a picture; one that is not of this machine is drawn as a frame with its words."""
    alt = html.escape(str(image.get("alt_text") or ""))
    url = str(image.get("image_url") or "")
    if _NEAR.fullmatch(url):
        return f'<img class="{css_class}" src="{html.escape(url)}" alt="{alt}">'
    shown = '<span class="bk-picture" aria-hidden="true">🖼</span>'
    title = html.escape(url)
    return (
        f'<span class="{css_class} bk-no-image" role="img" aria-label="{alt}" title="{title}">'
        f"{shown}<span>{alt}</span></span>"
    )
