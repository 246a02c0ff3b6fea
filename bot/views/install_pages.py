"""Render the pages that a browser shows after an installation: HTML without resources. Pure.

Names of workspaces are text from outside, and are escaped here.
"""

import base64
import hashlib
from html import escape
from urllib.parse import quote, urlencode

from bot.views.text import outside

MAX_NAME_CHARS = 80
_STYLE = """
:root { color-scheme: light dark; --ink: #1d1c1d; --soft: #5b5a5e; --page: #f4f5f7;
  --card: #fff; --line: #e3e4e8; --accent: #1f3a5f; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #ececed; --soft: #a9abb0; --page: #15171a;
  --card: #1f2226; --line: #33373d; --accent: #8fb8ea; --on-accent: #10202f; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.25rem;
  background: var(--page); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { width: 100%; max-width: 34rem; background: var(--card); border: 1px solid var(--line);
  border-radius: 14px; padding: clamp(1.5rem, 5vw, 2.5rem); overflow-wrap: anywhere; }
.app { margin: 0 0 1.25rem; color: var(--soft); font-size: .9375rem; font-weight: 600; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
p { margin: 0 0 1rem; }
ol { margin: 1.25rem 0 1.5rem; padding-left: 1.4rem; }
li { margin: 0 0 .6rem; padding-left: .3rem; }
li::marker { color: var(--soft); font-weight: 600; }
code { font: .95em ui-monospace, Menlo, Consolas, monospace; padding: .1em .35em;
  border-radius: 5px; background: var(--page); border: 1px solid var(--line); }
.button { display: inline-block; padding: .7rem 1.25rem; border-radius: 9px; font-weight: 600;
  background: var(--accent); color: var(--on-accent); text-decoration: none; }
.button:hover { filter: brightness(1.1); }
.button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.note { margin: 1.5rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .9375rem; }
.note a { color: var(--accent); }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
# Only this style is allowed, by its hash. `base-uri`, `form-action` and `frame-ancestors` do
# not follow from `default-src`: https://www.w3.org/TR/CSP3/
POLICY = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)


def installed_page(*, name: str, app_id: str, team_id: str, is_again: bool = False) -> str:
    """Return the page after an installation; `is_again`: the app was installed before."""
    # https://docs.slack.dev/interactivity/deep-linking: it opens the app, in any client.
    link = "https://slack.com/app_redirect?" + urlencode({"app": app_id, "team": team_id})
    open_slack = _button("Open Slack", link)
    if is_again:
        text = "Your setup is unchanged. Missing permissions are now granted."
        return _page(f"Installed again in {_name(name, 'your workspace')}", text, open_slack)
    steps = _list(
        "Open Slack: the app writes to you there.",
        "A workspace admin types <code>/domainkey</code> and connects the workspace to"
        " Domain Tracker, once.",
        "Everyone types <code>/domains</code> to see the portfolio, worst first.",
    )
    title = f"Installed in {_name(name, 'your workspace')}"
    return _page(title, "Three steps and it works:", steps, open_slack)


def installed_everywhere_page(*, name: str, app_id: str, enterprise_id: str) -> str:
    """Return the page after an installation for a whole organisation."""
    steps = _list(
        "Choose the workspaces for the app. It works only there.",
        "In each of them an admin types <code>/domainkey</code> and connects the workspace to"
        " Domain Tracker, once.",
        "Everyone there types <code>/domains</code> to see the portfolio, worst first.",
    )
    # https://docs.slack.dev/enterprise/organization-ready-apps
    link = (
        f"https://app.slack.com/manage/{quote(enterprise_id, safe='')}"
        f"/integrations/profile/{quote(app_id, safe='')}/workspaces/add"
    )
    return _page(
        f"Installed for {_name(name, 'your organization')}",
        "Three steps are left; the first is yours, as an organization admin:",
        steps,
        _button("Choose workspaces", link),
    )


def cancelled_page(*, again: str) -> str:
    text = "You cancelled, so nothing has changed in your workspace."
    return _page("Nothing was installed", text, _button("Install after all", again))


def stale_page(*, again: str) -> str:
    """Return the page for a link that is expired, used, or from another browser."""
    return _page(
        "This page cannot be used again",
        "It works once, within ten minutes, in the browser in which you began. If you have"
        " seen that the app is installed, all is well: close this page.",
        "<p>Otherwise begin again; nothing is installed twice.</p>",
        _button("Begin again", again),
    )


def refused_page(*, again: str, reference: str) -> str:
    """Return the page for a code that Slack refused, most often because it expired."""
    return _page(
        "Slack did not accept this",
        "Nothing was installed. It most likely took too long: begin again.",
        _button("Begin again", again),
        _note(_ASK_OPERATOR, reference),
    )


def of_organisation_page() -> str:
    """Return the page for a workspace of an organisation that has the app."""
    return _page(
        "Your organization has it already",
        "Domain Tracker is installed for the whole organization, so no workspace can install"
        " it by itself. Ask one of the organization’s admins to add your workspace.",
    )


def set_up_wrongly_page(*, reference: str) -> str:
    """Return the page for wrong app credentials, which only the operator can fix."""
    return _page(
        "This app is not set up correctly",
        "Nothing was installed, and trying again does not help.",
        _note("Please tell the app’s operator.", reference),
    )


def unanswered_page(*, again: str, reference: str) -> str:
    """Return the page for a missing or unreadable answer from Slack."""
    return _page(
        "Slack did not answer",
        "The app may not be installed. Wait a minute and begin again; nothing is installed twice.",
        _button("Begin again", again),
        _note("<a href='https://slack-status.com'>Slack’s status page</a> says more.", reference),
    )


def not_kept_page(*, again: str, reference: str) -> str:
    """Return the page for an installation that could not be saved."""
    return _page(
        "Almost: please begin again",
        "Slack has agreed, but the app could not save it, so it cannot work yet. Wait a minute"
        " and begin again; nothing is installed twice.",
        _button("Begin again", again),
        _note(_ASK_OPERATOR, reference),
    )


_ASK_OPERATOR = "If that fails, send the reference to the app’s operator."


def _page(title: str, text: str, *more: str) -> str:
    """Return a page with a paragraph; all arguments are HTML."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{title} – Domain Tracker</title><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head><body><main>"
        f'<p class="app">Domain Tracker for Slack</p><h1>{title}</h1><p>{text}</p>'
        f"{''.join(more)}</main></body></html>"
    )


def _name(name: str, otherwise: str) -> str:
    return escape(outside(name, MAX_NAME_CHARS)) or otherwise


def _list(*steps: str) -> str:
    return "<ol>" + "".join(f"<li>{step}</li>" for step in steps) + "</ol>"


def _button(label: str, link: str) -> str:
    return f'<a class="button" href="{escape(link)}">{label}</a>'


def _note(text: str, reference: str) -> str:
    return f'<p class="note">{text} Reference <code>{escape(reference)}</code></p>'
