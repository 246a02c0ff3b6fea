"""Encrypt and decrypt secrets with a ring of keys from a setting or a key file."""

import base64
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from bot.process.workspace import WorkspaceId
from bot.store.documents import (
    Document,
    Documents,
    StoreError,
    UnreadableSecretError,
    Write,
    WrongKeyRingError,
    update,
)
from bot.store.files import OTHERS, OWNER_ONLY, written_whole

VERSION = "v1"
KEY_BYTES = 32
NONCE_BYTES = 12
# Shorter than the base64 of a key: a key in the place of its name is never taken for one.
NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
PURPOSE = b"domain tracker bot: secrets at rest"
CHECK_KEY = "meta/key-check"
CHECK_TEXT = "the ring that holds this key opens the store"
SETTING = "BOT_SECRET_KEYS"


class KeyRing:
    """Named keys: the first one seals, all of them open. Shows none of them."""

    def __init__(self, keys: Mapping[str, bytes]) -> None:
        """Take at least one key of 32 bytes, the sealing one first."""
        self._boxes = {}  # not the keys themselves: no attribute shows one
        for name, key in keys.items():
            derive = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE)
            self._boxes[name] = AESGCM(derive.derive(key))

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """Read `name:base64-of-32-bytes, …`; either base64 alphabet, with or without padding.

        A ValueError for something else never quotes a key.
        """
        keys: dict[str, bytes] = {}
        for number, entry in enumerate(filter(None, map(str.strip, text.split(","))), start=1):
            name, _, key = (part.strip() for part in entry.partition(":"))
            if not NAME.fullmatch(name) or not key:
                raise ValueError(f"entry {number} is not of the form name:base64-of-32-bytes")
            if name in keys:
                raise ValueError(f"there are two keys named {name}")
            keys[name] = _key_bytes(name, key)
        if not keys:
            raise ValueError("there is no key: one is written as name:base64-of-32-bytes")
        return cls(keys)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._boxes)

    def __repr__(self) -> str:
        return f"KeyRing({len(self._boxes)} keys)"

    def encrypt(self, text: str, about: str) -> str:
        """Return the sealed text, which `decrypt` opens with the same `about` only."""
        name, nonce = self.names[0], os.urandom(NONCE_BYTES)
        box = self._boxes[name].encrypt(nonce, _bytes(text), _bytes(f"{VERSION}|{about}"))
        return f"{VERSION}.{name}.{_text(nonce + box)}"

    def decrypt(self, sealed: str, about: str) -> str:
        """Return the text; UnreadableSecretError: altered, of another place, or of another key."""
        name, raw = _parts(sealed)
        if name not in self._boxes:
            raise UnreadableSecretError(f"sealed with the key {name}, not one of {self.names}")
        nonce, box = raw[:NONCE_BYTES], raw[NONCE_BYTES:]
        try:
            text = self._boxes[name].decrypt(nonce, box, _bytes(f"{VERSION}|{about}"))
        except (InvalidTag, ValueError) as error:
            raise UnreadableSecretError(f"altered, or not sealed about {about}") from error
        return text.decode(errors="surrogatepass")


def associated_data(field: str, workspace: WorkspaceId, *rest: str) -> str:
    """Return what a secret is sealed as, the `about` of a `KeyRing`.

    Two different fields or workspaces never give the same text.
    """
    owner = [field, workspace.enterprise_id, workspace.team_id, *rest]
    return json.dumps(owner, ensure_ascii=False)  # escapes would make two texts of one


async def check_key_ring(documents: Documents, ring: KeyRing) -> None:
    """Check that the ring opens what earlier rings sealed; note its first key.

    The store keeps a known text under every key that ever came first, until everything is sealed
    again. WrongKeyRingError: a key is missing, or is another one of the same name.
    """
    first = ring.names[0]

    def noted(document: Document | None) -> Write | None:
        known: Mapping[str, str] = document.value if document else {}
        for name, sealed in known.items():
            try:
                ring.decrypt(sealed, CHECK_KEY)
            except UnreadableSecretError as error:
                what = "another" if name in ring.names else "no"
                raise WrongKeyRingError(
                    f"the store holds secrets sealed with a key named {name}. BOT_SECRET_KEYS (or"
                    f" the key file) has {what} key of that name. Put the earlier key back, after"
                    " the new one if you are replacing it. If it is lost for good, see `python -m"
                    " bot rotate-secrets --help`"
                ) from error
        if first in known:
            return None
        return Write({**known, first: ring.encrypt(CHECK_TEXT, CHECK_KEY)})

    await update(documents, CHECK_KEY, noted)


async def give_up_lost_keys(documents: Documents, ring: KeyRing) -> None:
    """Ask no longer for keys that the ring lacks: what they sealed stays closed."""

    def noted(document: Document | None) -> Write:
        known: Mapping[str, str] = document.value if document else {}
        return Write({name: text for name, text in known.items() if _opens(ring, text)})

    await update(documents, CHECK_KEY, noted)


def _opens(ring: KeyRing, sealed: str) -> bool:
    try:
        ring.decrypt(sealed, CHECK_KEY)
    except UnreadableSecretError:
        return False
    return True


def load_or_make_key_file(path: Path) -> tuple[KeyRing, bool]:
    """Return the ring in the file, and whether it was made just now; hold the store's lock.

    A file that is there is never overwritten: what it sealed could not be read again.
    WrongKeyRingError: it holds no key ring. StoreError: it cannot be read or made.
    """
    try:
        if is_new := not os.path.lexists(path):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with written_whole(path) as file:
                file.write(f"k1:{_text(os.urandom(KEY_BYTES))}\n".encode())
        if path.stat().st_mode & OTHERS:
            path.chmod(OWNER_ONLY)
    except OSError as error:
        raise StoreError(f"the key file {path} cannot be used: {error.strerror}") from error
    return read_key_file(path), is_new


def read_key_file(path: Path) -> KeyRing:
    """Return the ring in a file; raise as `load_or_make_key_file` does."""
    try:
        return KeyRing.parse(path.read_text(errors="replace"))
    except OSError as error:
        raise StoreError(f"the key file {path} cannot be used: {error.strerror}") from error
    except ValueError as error:
        raise WrongKeyRingError(f"the key file {path} is garbled: {error}") from None


def _parts(sealed: str) -> tuple[str, bytes]:
    """Return the name of the key, and nonce with box. There is one spelling of each."""
    version, name, body, *_ = [*sealed.split("."), "", ""]
    try:
        raw = base64.b64decode(body, altchars=b"-_")
    except ValueError:
        raw = b""
    if version != VERSION or sealed != f"{version}.{name}.{_text(raw)}":
        raise UnreadableSecretError("not a sealed text")  # unquoted: it may be a plain secret
    return name, raw


def _key_bytes(name: str, text: str) -> bytes:
    standard = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        key = base64.b64decode(f"{standard}=", validate=True)  # as 32 bytes end
    except ValueError:  # binascii.Error is one
        key = b""
    if len(key) != KEY_BYTES:
        raise ValueError(f"the key named {name} is not base64 of {KEY_BYTES} bytes")
    return key


def _bytes(text: str) -> bytes:
    # Plain UTF-8 refuses half a character with an error that quotes the whole secret.
    return text.encode(errors="surrogatepass")


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


@dataclass(frozen=True, slots=True)
class RingSource:
    """Where the ring comes from; `key_file`, which may be missing, when no setting is used."""

    ring: KeyRing | None
    key_file: Path | None = None

    @property
    def name(self) -> str:
        return f"the key file {self.key_file}" if self.key_file else SETTING


def key_file_of(database: Path) -> Path:
    """Return where the bot keeps the key that it made for a database."""
    return database.with_name(f"{database.name}.key")
