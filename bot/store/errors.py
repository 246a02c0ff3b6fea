"""What can go wrong with the store, split by what can be done about it.

BotError
└── StoreError                  try later; an operator looks at the disk or the database
    ├── ConflictError           somebody was faster: read again, decide again
    ├── ForgottenError          the app is not in that workspace: it is installed again
    ├── NoAnswerError           nobody knows whether a write happened: read it
    ├── StoreLockedError        another process uses the file: stop one of the two
    ├── WrongKeyRingError       an operator puts the right keys back
    └── UnreadableSecretError   this one secret is lost or altered: it must be given again
"""

from bot.errors import BotError


class StoreError(BotError):
    """The store failed or refused.

    After a write that failed by time-out nobody knows whether it happened: read it.
    """


class ConflictError(StoreError):
    """The document is not (or no longer) at the revision that the caller named."""


class ForgottenError(StoreError):
    """The workspace was forgotten, and nothing is written of it: see `ErasableDocuments`.

    Nothing is wrong with the store.
    """


class NoAnswerError(StoreError):
    """The storage did not answer in time."""


class StoreLockedError(StoreError):
    """Another process uses this file. One file serves one process."""


class WrongKeyRingError(StoreError):
    """The key ring is not the one that sealed what is stored, or its file is garbled."""


class UnreadableSecretError(StoreError):
    """A sealed text was altered, belongs elsewhere, or its key is not in the ring."""
