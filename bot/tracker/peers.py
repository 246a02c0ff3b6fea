"""The other processes that use the same keys, as far as a client has to care for them."""

from typing import Protocol


class Peers(Protocol):
    """What the budgets of several processes tell each other of a key, known by its fingerprint.

    No method raises anything but what it says: who cannot reach the others goes on alone.
    """

    async def learn(self) -> None:
        """Before a request: take in what the others have met with the keys of whoever asks."""
        ...

    async def claim_probe(self, fingerprint: str) -> None:
        """Return when this process may go ahead after a wait, which its budget has noted.

        Raises:
            RateLimitedError: another process has gone ahead, or has come to wait anew.
        """
        ...

    def tell(self, fingerprint: str) -> None:
        """After a request: let the others know what matters to them. Never waits."""
        ...


class Alone:
    """The `Peers` of the only process."""

    async def learn(self) -> None:
        """See `Peers.learn`."""

    async def claim_probe(self, fingerprint: str) -> None:
        """See `Peers.claim_probe`."""

    def tell(self, fingerprint: str) -> None:
        """See `Peers.tell`."""
