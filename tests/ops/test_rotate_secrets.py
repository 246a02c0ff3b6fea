"""Everything sealed gets under the first key, whatever happens on the way."""

import ast
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.dispatch.kept_commands import KeptCommand, KeptCommands
from bot.installations.installation import organisation
from bot.installations.repository import InstallationRepository
from bot.keys.key_record import KeyDraft
from bot.keys.repository import Keys
from bot.ops.sealed_texts import Rotated, rotate, rotation_lines
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, StoreError, WrongKeyRingError
from bot.store.encryption import KeyRing, RingSource, associated_data, check_key_ring
from tests.builders import KEY, MOMENT
from tests.installations.builders import an_installation
from tests.memory import FailingDocuments
from tests.store.test_encryption import a_ring

BOT = Path(__file__).parents[2] / "bot"
ACME, OTHER, ORG = WorkspaceId("T1"), WorkspaceId("T2", "E1"), organisation("E1")
OLD, BOTH, NEW = a_ring("k1"), a_ring("k2", "k1"), a_ring("k2")
DRAFT = KeyDraft(secret=KEY, label="Slack bot", expires_on=None, scopes=("read_domains",))
EARLIER_DRAFT = replace(DRAFT, secret=KEY[::-1])
COMMAND = KeptCommand(
    command="/domains",
    text="shop",
    user_id="U1",
    channel_id="C1",
    response_url="https://s.example",
)


def keys_of(documents: Documents, ring: KeyRing) -> Keys:
    return Keys(documents, ring, clock=lambda: MOMENT)


def kept_of(documents: Documents, ring: KeyRing) -> KeptCommands:
    return KeptCommands(documents, ring, clock=lambda: MOMENT)


async def seal_a_key(documents: Documents, ring: KeyRing) -> None:
    for workspace in (ACME, OTHER):
        await keys_of(documents, ring).save(workspace, EARLIER_DRAFT, set_by="U1")
        await keys_of(documents, ring).save(workspace, DRAFT, set_by="U1")


async def seal_a_command(documents: Documents, ring: KeyRing) -> None:
    await kept_of(documents, ring).keep(ACME, COMMAND)


async def install(documents: Documents, ring: KeyRing) -> None:
    for home in (ACME, ORG):
        await InstallationRepository(documents, ring).put(an_installation(home))


# Each module of the bot that seals something, and what lets it do so. Who adds a module here
# also says in bot/ops/sealed_texts.py what its texts are sealed about.
SEALERS: dict[str, Callable[[Documents, KeyRing], Awaitable[None]]] = {
    "keys/repository.py": seal_a_key,
    "dispatch/kept_commands.py": seal_a_command,
    "installations/repository.py": install,
}
# Two keys with the ones before them, one command, two installations of two tokens.
SEALED, DOCUMENTS = 7, 5
# The ring itself, and what seals again what others have sealed.
NO_SEALERS = {"store/encryption.py", "ops/sealed_texts.py"}


def modules_that_seal() -> set[str]:
    sources = {path: path.read_text() for path in BOT.rglob("*.py")}
    return {
        str(path.relative_to(BOT))
        for path, source in sources.items()
        if ".encrypt" in source  # before it is parsed, which takes a second for all of them
        and any(
            isinstance(node, ast.Attribute) and node.attr == "encrypt"
            for node in ast.walk(ast.parse(source))
        )
    }


@pytest.fixture
async def documents() -> FailingDocuments:
    """One of everything that the bot seals, under the old key; and what it does not seal."""
    documents = FailingDocuments()
    await check_key_ring(documents, OLD)
    for seal in SEALERS.values():
        await seal(documents, OLD)
    await documents.put("-.T1/scan/shop.example", {"text": "v1.k1.AAAA", "sealing": {"a": 1}})
    return documents


async def rotated(documents: Documents, ring: KeyRing = BOTH) -> Rotated:
    return await rotate(documents, await documents.list_prefix(""), ring)


async def named(documents: Documents, text: str) -> list[str]:
    found = await documents.list_prefix("")
    return [each.key for each in found if text in str(each.value) and "/scan/" not in each.key]


def test_every_module_that_seals_is_known_here() -> None:
    assert modules_that_seal() == {*SEALERS, *NO_SEALERS}


async def test_nothing_is_left_under_an_old_key(documents: Documents) -> None:
    result = await rotated(documents)

    assert (result.again, result.already, result.closed) == (SEALED, 0, [])
    assert await named(documents, "v1.k1.") == []
    assert len(await named(documents, "v1.k2.")) == DOCUMENTS + 1


async def test_the_new_key_alone_opens_everything(documents: Documents) -> None:
    await rotated(documents)

    await check_key_ring(documents, NEW)
    for workspace in (ACME, OTHER):
        keys = keys_of(documents, NEW)
        slots = await keys.pair(workspace)
        assert (await keys.stored(workspace)).secret == KEY
        assert slots is not None
        assert slots.earlier is not None
        assert (await keys.earlier(workspace, slots.earlier.record.mark)).secret == KEY[::-1]
    assert await kept_of(documents, NEW).take_all(ACME) == [COMMAND]
    for home in (ACME, ORG):
        kept = await InstallationRepository(documents, NEW).get(home)
        assert kept is not None
        assert kept == an_installation(home)


@pytest.mark.parametrize("writes", range(DOCUMENTS + 2))
async def test_an_interrupted_rotation_can_go_on(documents: FailingDocuments, writes: int) -> None:
    documents.writes_left = writes
    with pytest.raises(StoreError, match="killed"):
        await rotated(documents)
    documents.writes_left = None

    await check_key_ring(documents, BOTH)
    assert (await keys_of(documents, BOTH).stored(ACME)).secret == KEY
    result = await rotated(documents)
    assert result.again + result.already == SEALED
    assert await named(documents, "v1.k1.") == []


async def test_what_does_not_open_is_named_and_the_rest_is_done(documents: Documents) -> None:
    moved = await documents.get(f"{ACME}/key")
    assert moved is not None
    await documents.put(f"{OTHER}/key", moved.value)
    await documents.put(
        "-.T1/later", {"next": {"sealed": OLD.encrypt(KEY, associated_data("new", ACME))}}
    )

    result = await rotated(documents)

    assert [each.why_closed(BOTH) for each in result.closed] == [
        "-.T1/later (next.sealed): of a kind that this version of the bot does not know",
        "E1.T2/key (sealed): damaged, or moved there from another document",
        "E1.T2/key (earlier.sealed): damaged, or moved there from another document",
    ]
    assert (result.again, KEY in str(result)) == (SEALED - 2, False)
    assert moved.value["sealed"] not in str(result)
    with pytest.raises(WrongKeyRingError):  # the old key is still asked for
        await check_key_ring(documents, NEW)


def test_the_end_of_an_old_key_is_announced() -> None:
    (first, second) = rotation_lines(Rotated(again=2, already=1), RingSource(BOTH))

    assert first == "2 sealed again under k2, 1 were so already, 0 could not be opened."
    assert "no longer needs k1" in second
