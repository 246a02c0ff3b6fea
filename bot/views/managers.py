"""The form in which admins name those who may manage the key besides them. Pure."""

from collections.abc import Sequence

from bot.admin.managers import MAX_MANAGERS
from bot.message import Block
from bot.views.blocks import context, section
from bot.views.form import field, form, notice

MANAGERS_FORM = "managers"
MANAGERS_BLOCK, MANAGERS_FIELD = "managers", "managers.people"
TITLE = "Managers"
SAVED_MANAGERS = "✅ Saved."


def managers_form(metadata: str, user_ids: Sequence[str], trouble: str = "") -> Block:
    """Return the form; `trouble` is a sentence of our own on why the last try was not saved."""
    people: Block = {
        "type": "multi_users_select",
        "action_id": MANAGERS_FIELD,
        "max_selected_items": MAX_MANAGERS,
    }
    if user_ids:
        people["initial_users"] = list(user_ids[:MAX_MANAGERS])
    warning = [section(f"⚠️ *Not saved.* {trouble}")] if trouble else []
    how = context(
        "Managers can do with the API key what admins and owners can, and are told when it is"
        " refused or ends soon. They cannot name others. Guests and bots cannot be managers."
    )
    fields = field(MANAGERS_BLOCK, "Managers", people, optional=True)
    return form(MANAGERS_FORM, TITLE, "Save", [*warning, how, fields], metadata=metadata)


def saving_managers_form() -> Block:
    """Return what stands in the form's place while Slack is asked who they are."""
    return managers_notice("⏳ Saving…")


def saved_managers_form(user_ids: Sequence[str]) -> Block:
    """Return who the managers are from now on."""
    return managers_notice(f"{SAVED_MANAGERS} {managers_text(user_ids)}")


def managers_text(user_ids: Sequence[str]) -> str:
    """Return a sentence of finished mrkdwn that names them."""
    named = ", ".join(f"<@{user_id}>" for user_id in user_ids)
    return f"Managers: {named}." if named else "There are no managers: only admins and owners."


def managers_notice(mrkdwn: str) -> Block:
    """Return one of our own sentences in the form's place."""
    return notice(TITLE, [section(mrkdwn)])
