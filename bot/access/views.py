"""Draw managers, permissions, history and the errors of key administration. Pure."""

from collections.abc import Mapping, Sequence
from functools import partial

from bot.access import permissions as admin
from bot.access import repository as history
from bot.blocks import builders as blocks
from bot.blocks.message import Block, Message
from bot.blocks.text import code, escaped, moment_token
from bot.dispatch.commands import Audience
from bot.dispatch.failure import Facts, Sentences, plain
from bot.process.errors import ExternalUserError, NotAllowedError

MANAGERS_FORM = "managers"
MANAGERS_BLOCK, MANAGERS_FIELD = "managers", "managers.people"
TITLE = "Managers"
managers_notice = partial(blocks.paragraph_notice, TITLE)
SAVING, SAVED, NOT_SAVED = "⏳ Saving…", "✅ Saved.", "⚠️ *Not saved.*"
AUDIENCES_FORM, AUDIENCE_FIELD = "audiences", "audience"
AUDIENCES_TITLE = "Permissions"
audiences_notice = partial(blocks.paragraph_notice, AUDIENCES_TITLE)
_AUDIENCES = {
    Audience.GUESTS: "Everyone",
    Audience.MEMBERS: "Everyone except guests",
    Audience.MANAGERS: "Admins, owners, and managers",
}
_DONE = {
    history.Act.KEY_SET: "set the key",
    history.Act.KEY_REPLACED: "replaced the key by",
    history.Act.KEY_ROLLED_BACK: "rolled back to the key",
    history.Act.KEY_REMOVED: "removed the key",
    history.Act.EARLIER_KEY_FORGOTTEN: "finished a rotation and removed the old key",
    history.Act.MANAGERS_CHANGED: "changed the managers",
    history.Act.AUDIENCES_CHANGED: "changed who may add and scan",
    history.Act.DIGEST_MADE: "set up a digest",
    history.Act.DIGEST_CHANGED: "changed a digest",
    history.Act.DIGEST_PAUSED: "paused a digest",
    history.Act.DIGEST_RESUMED: "resumed a digest",
    history.Act.DIGEST_DELETED: "deleted a digest",
    history.Act.NIGHTLY_SCANS_ON: "turned nightly scans on",
    history.Act.NIGHTLY_SCANS_OFF: "turned nightly scans off",
    history.Act.APP_INSTALLED: "installed the app",
    history.Act.APP_REINSTALLED: "installed the app again",
    history.Act.ACCESS_REVOKED: "ended the app's access",
}


def managers_form(metadata: str, named: Sequence[str], error: str = "") -> Block:
    """Return the form to name managers; `error` is why the last try was not saved."""
    people = blocks.input_element(
        "multi_users_select",
        MANAGERS_FIELD,
        max_selected_items=admin.MAX_MANAGERS,
        initial_users=list(named[: admin.MAX_MANAGERS]) or None,
    )
    warning = [blocks.section(f"{NOT_SAVED} {error}")] if error else []
    how = blocks.context(
        "Managers can manage the API key as admins and owners do. They get a message when it is"
        " refused or expires soon. They can't appoint others. Guests and bots can't be managers."
    )
    fields = blocks.field(MANAGERS_BLOCK, "Managers", people, optional=True)
    return blocks.form(MANAGERS_FORM, TITLE, "Save", [*warning, how, fields], metadata=metadata)


def managers_text(ids: Sequence[str]) -> str:
    if not ids:
        return "Managed by admins and owners only."
    return f"Managed by admins, owners, and managers: {names_text(ids)}."


def names_text(user_ids: Sequence[str]) -> str:
    """Return mrkdwn that lists people by name.

    Only for forms and for messages to one person: elsewhere it notifies them.
    """
    return ", ".join(f"<@{user_id}>" for user_id in user_ids)


def audiences_form(metadata: str, chosen: Mapping[str, Audience]) -> Block:
    options = {
        who: blocks.option(name, _AUDIENCES[who]) for name, who in admin.AUDIENCE_NAMES.items()
    }
    fields = [
        blocks.field(
            f"{AUDIENCE_FIELD}-{operation}",
            f"Who may {operation} domains",
            blocks.input_element(
                "static_select",
                f"{AUDIENCE_FIELD}.{operation}",
                options=[*options.values()],
                initial_option=options[chosen[operation]],
            ),
        )
        for operation in admin.CHOSEN_FOR
    ]
    how = blocks.context("Checked with Slack each time. Others see whom to ask.")
    return blocks.form(AUDIENCES_FORM, AUDIENCES_TITLE, "Save", [*fields, how], metadata=metadata)


def audiences_text(chosen: Mapping[str, Audience]) -> str:
    return " ".join(
        f"{operation.capitalize()} domains: {_AUDIENCES[chosen[operation]].lower()}."
        for operation in admin.CHOSEN_FOR
    )


def history_form(entries: Sequence[history.Entry]) -> Block:
    drawn = blocks.paragraphs(map(entry_line, entries)) or [blocks.section("No activity yet.")]
    foot = f"The last {history.MAX_ENTRIES} actions are kept."
    return blocks.notice("History", [*drawn, blocks.context(foot)])


def entry_line(entry: history.Entry) -> str:
    by = "Slack" if entry.by == history.SLACK else f"<@{entry.by}>"
    words = [f"{moment_token(entry.at)}  ·  {by} {_DONE[entry.act]}"]
    if entry.key:
        words.append(code(entry.key, 40))
    if entry.channel_id:
        words.append(f"in <#{entry.channel_id}>")
    changes = [escaped(entry.detail)] if entry.detail else []
    changes += [f"with <@{each}>" for each in entry.added]
    changes += [f"without <@{each}>" for each in entry.removed]
    return " ".join(words) + (f": {', '.join(changes)}" if changes else "")


def _not_a_manager(error: admin.NotAManagerError, _facts: Facts) -> Message:
    return blocks.plain_message(
        "Only admins, owners, and appointed managers can manage the API key."
        f"{_managers_sentence(error.managers)} Please ask one of them.{_organisation_text(error)}"
    )


def _not_an_admin(error: admin.NotAnAdminError, _facts: Facts) -> Message:
    return blocks.plain_message(
        "Only admins and owners of this workspace can appoint managers, set permissions, and turn"
        f" nightly scans on or off.{_organisation_text(error)}"
    )


def _outside_audience(error: admin.OutsideAudienceError, _facts: Facts) -> Message:
    deed, change = f"{error.operation} domains", "Admins and owners can change that with"
    if error.managers is not None:
        who = _managers_sentence(error.managers)
        text = f"Only admins, owners, and managers can {deed} in this workspace.{who}"
    else:
        text = f"Guests can't {deed} in this workspace."
    return blocks.plain_message(f"{text} {change} `/domainkey`.")


def _managers_sentence(user_ids: Sequence[str]) -> str:
    return f" Managers: {names_text(user_ids)}." if user_ids else ""


def _organisation_text(error: admin.NotAManagerError) -> str:
    if not error.is_in_organisation:
        return ""
    return (
        " In an organization, Slack may not say who the admins of a workspace are. An organization"
        " admin can make you a manager with `/domainkey`."
    )


def _unfit(error: admin.UnfitManagerError, _facts: Facts) -> Message:
    named = ", ".join(f"<@{user_id}>" for user_id in error.user_ids) or "This person"
    return blocks.plain_message(
        f"{named} can't be a manager. Guests, bots, closed accounts, and people of other"
        " workspaces can't."
    )


ACCESS_ERRORS: Sentences = {
    NotAllowedError: plain("Only admins and owners of this workspace can manage the API key."),
    admin.NotAManagerError: _not_a_manager,
    admin.NotAnAdminError: _not_an_admin,
    admin.OutsideAudienceError: _outside_audience,
    admin.UnfitManagerError: _unfit,
    ExternalUserError: plain("Only members of the workspace with this app can use it."),
}
