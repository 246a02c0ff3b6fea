"""The form that pauses a digest. Pure."""

from datetime import date

from bot.message import Block
from bot.views.blocks import button, section
from bot.views.digests.form import BACK
from bot.views.form import field, form

PAUSE_FORM = "digests.pausing"
UNTIL_FIELD = "digests.until"


def pause_form(
    schedule: str, nonce: str, metadata: str, *, until: date | None = None, said: str = ""
) -> Block:
    """Return the form; `schedule` and `said` are finished mrkdwn, `until` what was picked.

    `nonce`: see `Editing`.
    """
    day: Block = {"type": "datepicker", "action_id": UNTIL_FIELD}
    if until:
        day["initial_date"] = until.isoformat()
    hint = "It runs again from the start of that day on. Empty: not before somebody resumes it."
    blocks = [
        *([section(said)] if said else []),
        section(
            f"Pause the digest *{schedule}*: nothing is posted by itself.", button("Back", BACK)
        ),
        field(f"until:{nonce}", "Until", day, hint=hint, optional=True),
    ]
    return form(PAUSE_FORM, "Pause digest", "Pause", blocks, metadata=metadata)
