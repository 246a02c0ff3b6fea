"""The ring that seals the store: from a setting, or from the file that the bot makes itself."""

from dataclasses import dataclass
from pathlib import Path

from bot.store.errors import StoreError, WrongKeyRingError
from bot.store.sealed import KeyRing

SETTING = "BOT_SECRET_KEYS"


@dataclass(frozen=True, slots=True)
class RingSource:
    """Where the ring comes from; `key_file` is `None` when the setting is used.

    `ring` is `None` when there is no key file (yet).
    """

    ring: KeyRing | None
    key_file: Path | None = None

    @property
    def name(self) -> str:
        """What an operator knows it by."""
        return f"the key file {self.key_file}" if self.key_file else SETTING


def key_file_of(database: Path) -> Path:
    """Return where the bot keeps the key that it made for a database."""
    return database.with_name(f"{database.name}.key")


def ring_source(setting: str | None, database: Path) -> RingSource:
    """Return the ring of the setting, or else that of the key file; make nothing.

    Raises:
        WrongKeyRingError: the key file holds no ring.
        StoreError: it cannot be read.
        ValueError: the setting is none; settings that were loaded are checked already.
    """
    if setting:
        return RingSource(KeyRing.parse(setting))
    path = key_file_of(database)
    try:
        return RingSource(KeyRing.parse(path.read_text(errors="replace")), path)
    except FileNotFoundError:
        return RingSource(None, path)
    except OSError as error:
        raise StoreError(f"the key file {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise WrongKeyRingError(f"the key file {path} is garbled: {error}") from None
