"""What can go wrong with PostgreSQL beyond what every store may raise.

StoreError
├── OutdatedSchemaError     an operator runs `python -m bot migrate`
└── LostConnectionError     try later: nobody knows whether a write happened
"""

from bot.store.errors import StoreError


class OutdatedSchemaError(StoreError):
    """The database lacks tables that this version needs. `python -m bot migrate` makes them."""


class LostConnectionError(StoreError):
    """The connection ended in the middle of a statement, which may still have happened."""
