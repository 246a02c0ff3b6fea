"""Commands that wait for a key: fifteen minutes, one taker, nothing in clear."""

import pytest

from bot.dispatch.kept_commands import KeptCommand, KeptCommands
from bot.process.workspace import WorkspaceId
from bot.store.encryption import KeyRing
from tests.builders import KEY, KEY_TAIL
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
URL = "https://hooks.example/commands/1"


def a_command(user_id: str = "U1", text: str = "shop.example") -> KeptCommand:
    return KeptCommand(
        command="/scan", text=text, user_id=user_id, channel_id="C1", response_url=URL
    )


@pytest.fixture
def kept(documents: MemoryDocuments, clock: FakeClock) -> KeptCommands:
    return KeptCommands(documents, KeyRing({"k1": b"1" * 32}), clock=clock)


@pytest.mark.parametrize(("after_s", "count"), [(899, 1), (901, 0)])
async def test_a_command_is_kept_for_fifteen_minutes(
    kept: KeptCommands, clock: FakeClock, after_s: int, count: int
) -> None:
    await kept.keep(ONE, a_command())
    clock.advance(after_s)

    assert len(await kept.take_all(ONE)) == count


async def test_no_secret_is_stored(kept: KeptCommands, documents: MemoryDocuments) -> None:
    await kept.keep(ONE, a_command(text=KEY))

    assert URL not in str(await documents.list_prefix(""))
    [command] = await kept.take_all(ONE)
    assert KEY_TAIL not in command.text
