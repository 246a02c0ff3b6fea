"""What the forms of `/domaindigest` carry with them, so that their answers can be understood."""

import json
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FormNote:
    """Whose list it is, and for a form about one digest: which, as of which version.

    `channel_id` is the list's, `None` where nobody typed in a channel. `digest_id` is `None`
    for a new one. `nonce` is that of `Editing`. `zone` is the time zone of whoever opened it.
    """

    channel_id: str | None = None
    digest_id: str | None = None
    version: int = 0
    nonce: str = ""
    zone: str | None = None

    def as_text(self) -> str:
        """Return the note as `Conversation.as_metadata` takes it; `note_in` reads it."""
        return json.dumps([self.channel_id, self.digest_id, self.version, self.nonce, self.zone])


def note_in(text: str | None) -> FormNote:
    """Return the note that a form carried, an empty one for a form without."""
    match json.loads(text or "null"):
        # Another version of the bot may have written something else behind the nonce.
        case [
            str() | None as channel_id,
            str() | None as digest_id,
            int(version),
            str(nonce),
            *rest,
        ]:
            zone = rest[0] if rest and isinstance(rest[0], str) else None
            return FormNote(
                channel_id=channel_id,
                digest_id=digest_id,
                version=version,
                nonce=nonce,
                zone=zone,
            )
    return FormNote()
