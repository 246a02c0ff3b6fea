"""Word the errors about domains. Pure."""

from bot.blocks.builders import plain_message, run_button
from bot.blocks.message import Message
from bot.blocks.text import bold, code, host_text, outside
from bot.dispatch.failure import Facts, Sentences, retry_message
from bot.domains.add_views import already_added_message
from bot.domains.adding import AlreadyAddedError, UncertainAddError
from bot.domains.lookup import UnknownDomainError, host_of
from bot.tracker.hostnames import MAX_NAME_CHARS


def _unknown_domain(error: UnknownDomainError, facts: Facts) -> Message:
    near = " or ".join(bold(name, MAX_NAME_CHARS) for name in error.near)
    asked = " You can add it." if facts.may_add else ""
    asked = f" Did you mean {near}?" if near else asked
    buttons = [
        run_button(f"Scan {outside(name, 60)}", f"/scan {name}", number=number)
        for number, name in enumerate(error.near)
    ]
    add = run_button("Add it", f"/adddomain {error.host}", once=True) if facts.may_add else None
    return plain_message(
        f"{code(host_text(error.host), 300)} is not in your portfolio.{asked}",
        *(*buttons, add, run_button("All domains", "/domains")),
    )


def _uncertain_add(error: UncertainAddError, facts: Facts) -> Message:
    return retry_message(
        f"Domain Tracker didn't confirm {code(host_text(error.host), 300)} and doesn't list it."
        " It may still appear. Trying again is safe: I check first.",
        facts,
    )


DOMAIN_ERRORS: Sentences = {
    UnknownDomainError: _unknown_domain,
    AlreadyAddedError: lambda error, _: already_added_message(host_of(error.domain), error.domain),
    UncertainAddError: _uncertain_add,
}
