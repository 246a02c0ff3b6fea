"""The form of a digest, drawn for whoever fills it in. Pure but for its nonce."""

import secrets
from datetime import datetime

from bot.digests.digest import Digest
from bot.listeners.conversation import Conversation
from bot.listeners.digests.note import FormNote, note_in
from bot.message import Block
from bot.slack.calls import Member
from bot.views.digests.draft import Draft, draft_of
from bot.views.digests.form import Editing, edit_form


def drawn(
    conversation: Conversation,
    note: FormNote,
    draft: Draft,
    now: datetime,
    *,
    digest: Digest | None,
    said: str = "",
) -> Block:
    """Return the form as `note` and `draft` describe it; `digest` is `None` where unknown."""
    editing = Editing(
        draft=draft,
        nonce=note.nonce,
        now=now,
        reader_zone=note.zone,
        digest=digest,
        is_new=note.digest_id is None,
        said=said,
    )
    return edit_form(editing, conversation.as_metadata(note.as_text()))


def drawn_as_saved(
    conversation: Conversation, now: datetime, digest: Digest, member: Member, said: str = ""
) -> Block:
    """Return a form anew with a digest as it is saved, for `member`."""
    note = FormNote(
        channel_id=note_in(conversation.note).channel_id,
        digest_id=digest.digest_id,
        version=digest.version,
        nonce=new_nonce(),
        zone=member.zone,
    )
    return drawn(conversation, note, draft_of(digest.plan), now, digest=digest, said=said)


def new_nonce() -> str:
    """Return what makes a form begin anew: see `Editing`."""
    return secrets.token_hex(4)
