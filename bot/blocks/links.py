"""Link the names of domains to where people see them in the service, if the operator says where.

The template is one of the process: every name in every message would carry it along otherwise.
"""

from contextvars import ContextVar
from urllib.parse import quote

from bot.blocks.text import bold, host_text
from bot.process.redaction import holds_secret
from bot.tracker.hostnames import HostNameError, host_name

DOMAIN_ID, DOMAIN = "{domainId}", "{domain}"
MAX_URL_CHARS = 1_000  # so that it is not cut where a text is clipped
_TEMPLATE: ContextVar[str] = ContextVar("template", default="")


def use_template(template: str | None) -> None:
    """Let names become links by this template, or by none, in this process."""
    _TEMPLATE.set(template or "")


def domain_url(host: str, domain_id: str | None = None) -> str | None:
    """Return the address of a domain, `None` without a template or what it needs.

    One that is too long, or holds a key or token, is never shown.
    """
    template = _TEMPLATE.get()
    if not template or (DOMAIN_ID in template and not domain_id):
        return None
    try:
        name = host_name(host)
    except HostNameError:
        name = host
    url = template.replace(DOMAIN_ID, quote(domain_id or "", safe="", errors="replace"))
    url = url.replace(DOMAIN, quote(name, safe="", errors="replace"))
    return None if len(url) > MAX_URL_CHARS or holds_secret(url) else url


def linked_name(host: str, domain_id: str | None = None, limit: int = 300) -> str:
    """Return a name from outside as bold mrkdwn, a link if it has an address and is no code."""
    name, url = bold(host_text(host), limit), domain_url(host, domain_id)
    if not url or name.startswith("`"):
        return name
    return f"*<{url.replace('&', '&amp;')}|{name.strip('*')}>*"
