"""What the forms of `/domaindigest` carry with them, so that their answers can be understood."""

import json
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class FormNote:
    """Whose list it is, and for a form about one digest: which, as of which version.

    `channel_id` is the list's, `None` where nobody typed in a channel. `digest_id` is `None`
    for a new one. `nonce` and `removed` are those of `Editing`.
    """

    channel_id: str | None = None
    digest_id: str | None = None
    version: int = 0
    nonce: str = ""
    removed: frozenset[int] = frozenset()

    def as_text(self) -> str:
        """Return the note as `Conversation.as_metadata` takes it; `note_in` reads it."""
        removed = sorted(self.removed)
        return json.dumps([self.channel_id, self.digest_id, self.version, self.nonce, removed])

    def without_rule(self, place: int) -> "FormNote":
        """Return the note of the same form with one more rule to be removed."""
        return replace(self, removed=self.removed | {place})


def note_in(text: str | None) -> FormNote:
    """Return the note that a form carried, an empty one for a form without."""
    match json.loads(text or "null"):
        case [
            str() | None as channel_id,
            str() | None as digest_id,
            int(version),
            str(nonce),
            [*places],
        ]:
            removed = frozenset(place for place in places if isinstance(place, int))
            return FormNote(
                channel_id=channel_id,
                digest_id=digest_id,
                version=version,
                nonce=nonce,
                removed=removed,
            )
    return FormNote()
