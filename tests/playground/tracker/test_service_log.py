"""What the tracker remembers of requests, and that a key is nowhere in it."""

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import LIST, Api


async def test_no_key_is_logged(api: Api, tracker: Tracker, acme: Account, key: str) -> None:
    await api.scan(key, key, f"my key is {key}!")
    await api.http.get(LIST, params={"key": key})
    acme.delete_key(key)
    await api.list(key)

    seen = repr((tracker, tracker.requests, acme, acme.keys, vars(acme)))
    assert len(tracker.requests) == 3
    assert key[11:] not in seen
