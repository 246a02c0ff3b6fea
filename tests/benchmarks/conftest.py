import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the kills: the longest test of all is not to be waited for at the end."""
    items.sort(key=lambda item: "/test_load_and_kill.py::" not in item.nodeid)
