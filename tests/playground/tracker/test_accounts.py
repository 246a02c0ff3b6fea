"""Accounts, their domains, and the names that these may have.

Keys as the API Keys page makes them: service document, sections 2.1, 3 and 5.
"""

import pytest

from bot.playground.tracker import Account
from tests.playground.tracker.conftest import Clock


@pytest.fixture
def acme(clock: Clock) -> Account:
    return Account("acme", clock)


def test_of_a_value_only_the_last_four_characters_can_be_read_again(acme: Account) -> None:
    value = acme.create_key("bot")

    [record] = acme.keys
    assert record.last4 == value[-4:]
    assert value not in repr(vars(record))
    assert value[11:-4] not in repr(vars(acme))
