"""Render the pages that a browser shows after an installation: HTML without resources. Pure.

Names of workspaces are text from outside, and are escaped here.
"""

import base64
import hashlib
from html import escape
from urllib.parse import urlencode

from bot.blocks.command_names import renamed
from bot.blocks.text import outside
from bot.installations.installation import Installation

MAX_NAME_CHARS = 80
_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; overflow-wrap: anywhere;
  font: 1.0625rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
li { margin: 0 0 .6rem; }
.button { display: inline-block; padding: .7rem 1.25rem; border-radius: 9px; font-weight: 600;
  background: #1f5fa8; color: #fff; text-decoration: none; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
# Only this style is allowed, by its hash. `base-uri`, `form-action` and `frame-ancestors` do
# not follow from `default-src`: https://www.w3.org/TR/CSP3/
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)


def installed_page(made: Installation) -> str:
    name = escape(outside(made.name, MAX_NAME_CHARS)) or "your workspace"
    if made.is_org_wide:
        title, button = f"Installed for {name}", ("Choose workspaces", made.workspaces_page)
        first = "As an organization admin, choose the workspaces for the app. It works only there."
    else:
        # https://docs.slack.dev/interactivity/deep-linking: it opens the app, in any client.
        query = urlencode({"app": made.app_id, "team": made.home.team_id})
        title = f"Installed in {name}"
        button = ("Open Slack", f"https://slack.com/app_redirect?{query}")
        first = "Open Slack: the app writes to you there."
    steps = (
        f"<p>Three steps and it works:</p><ol><li>{first}</li>"
        "<li>A workspace admin types <code>/domainkey</code> and connects the workspace to"
        " Domain Tracker, once.</li>"
        "<li>Everyone types <code>/domains</code> to see the portfolio, worst first.</li></ol>"
    )
    return _page(title, steps, button)


def cancelled_page(*, again: str) -> str:
    text = "<p>You canceled, so nothing has changed in your workspace.</p>"
    return _page("Nothing was installed", text, ("Install after all", again))


def stale_page(*, again: str) -> str:
    """Return the page for a link that is expired, used, or from another browser."""
    return _page(
        "This page cannot be used again",
        "<p>It works once, within ten minutes, in the browser in which you began. If you have"
        " seen that the app is installed, close this page. Otherwise begin again.</p>",
        ("Begin again", again),
    )


def of_organisation_page() -> str:
    return _page(
        "Your organization has it already",
        "<p>Domain Tracker is installed for the whole organization, so no workspace can install"
        " it by itself. Ask one of the organization’s admins to add your workspace.</p>",
    )


def failed_page(*, again: str, reference: str) -> str:
    return _page(
        "The installation failed",
        "<p>The app cannot work yet. Wait a minute and begin again; nothing is installed twice."
        " If that fails too, send the reference"
        f" <code>{escape(reference)}</code> to the app’s operator.</p>",
        ("Begin again", again),
    )


def _page(title: str, content: str, button: tuple[str, str] | None = None) -> str:
    """Return a page; `title` and `content` are HTML, `button` is a label and its address."""
    content = renamed(content)
    link = f'<a class="button" href="{escape(button[1])}">{button[0]}</a>' if button else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title} – Domain Tracker</title><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head><body><main>"
        f"<p>Domain Tracker for Slack</p><h1>{title}</h1>{content}{link}</main></body></html>"
    )
