"""The form that adds a domain, as people add one in the service itself."""

from nicegui import ui

from bot.playground.page.tracker_pages.questions import answer_of
from bot.playground.tracker import Account
from bot.playground.tracker.accounts import OWNED, DuplicateDomainError, canonical_name

TYPES = [OWNED, "client", "competitor", "monitored", "parked"]


async def ask_for_domain(account: Account) -> str | None:
    """Return the name of the domain that was added, or None when the form was closed."""
    with ui.dialog() as dialog, ui.card().style("width: 420px"):
        ui.label("Add a domain").classes("text-lg")
        name = ui.input("Domain", placeholder="shop.example").classes("w-full").props("autofocus")
        kind = ui.select(TYPES, value=OWNED, label="Type").classes("w-full")
        folder = ui.input("Folder").classes("w-full")
        tags = ui.input("Tags", placeholder="prod, eu").classes("w-full")

        def save() -> None:
            trouble = add_typed(account, name.value, kind.value, folder.value, tags.value)
            name.error = trouble
            if trouble is None:
                dialog.submit(name.value.strip().lower())

        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Add", on_click=save).props("unelevated no-caps")
    added: str | None = await answer_of(dialog)
    return added


def add_typed(account: Account, name: str, kind: str, folder: str, tags: str) -> str | None:
    """Add what was typed; return a sentence when it cannot be, else None."""
    domain = name.strip().lower()
    try:
        canonical_name(domain)
    except ValueError:
        return "This is no domain name such as shop.example."
    labels = tuple(dict.fromkeys(tag.strip() for tag in tags.split(",") if tag.strip()))
    try:
        account.add(domain, domain_type=kind, folder=folder.strip() or None, tags=labels)
    except DuplicateDomainError:
        return "It is in the portfolio already."
    return None
