"""PRIVACY.md and docs/security.md name each kind of document, and how long it is kept."""

import re
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from bot.access.permissions import Permissions
from bot.access.repository import MAX_ENTRIES, Act, Audit
from bot.digests import alert_life
from bot.digests.models import MAX_PAST_RUNS
from bot.digests.repository import DigestRepository
from bot.dispatch import kept_commands
from bot.domains import adding
from bot.domains.kept_facts import FactsRepository, KeptFacts
from bot.installations.installation import scope_of_key
from bot.keys import repository as keys
from bot.keys.key_record import EARLIER_KEPT_FOR, KeyDraft
from bot.scans.bulk_record import items_of
from bot.store.documents import Document, kind_of
from bot.store.fenced import FencedDocuments
from bot.store.kinds import KINDS, forget_expired
from bot.tracker.rate_limit import WINDOW_S
from tests.builders import KEY, a_domain
from tests.installations.builders import RING
from tests.installations.test_uninstall_no_trace import GONE, Life, remove
from tests.memory import MemoryDocuments

ROOT = Path(__file__).parents[2]
PRIVACY = (ROOT / "PRIVACY.md").read_text()
SECURITY = (ROOT / "docs/security.md").read_text()
NAMES_YOU, NAMES_NOBODY = "What names you", "What names nobody"


@pytest.fixture
def documents() -> FencedDocuments:
    return FencedDocuments(MemoryDocuments(), beginning_of=scope_of_key)


def table(document: str, heading: str) -> list[tuple[str, list[str]]]:
    """Return each row of the table under a heading, and the kinds of documents it is about."""
    section = document.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^(\|.+)\|([^|]*)\|$", section, re.MULTILINE)
    return [(row, re.findall(r"`([a-z-]+)`", kinds)) for row, kinds in rows]


def row_of(kind: str) -> str:
    rows = table(PRIVACY, NAMES_YOU) + table(PRIVACY, NAMES_NOBODY)
    [row] = [row for row, kinds in rows if kind in kinds]
    return row


def named_in(heading: str) -> list[str]:
    return sorted(kind for _, kinds in table(PRIVACY, heading) for kind in kinds)


async def stored(life: Life) -> list[Document]:
    return await life.documents.list_prefix(f"{life.workspace}/")


async def naming(life: Life) -> set[str]:
    """Return the kinds of documents that name the person who did everything."""
    found = await stored(life)
    return {kind_of(each.key) for each in found if f"U_{life.mark}" in f"{each.key} {each.value}"}


async def test_each_kind_is_in_the_table_of_those_that_do_or_do_not_name_people(
    documents: FencedDocuments,
) -> None:
    life = Life(documents, GONE, scans=1)
    await life.live()

    with_names = {
        kind_of(each.key)
        for each in await stored(life)
        if re.search(r"'(?!name)\w*name': '", f"{each.value}")
    }
    assert with_names == {"digest"}  # the only kind with a person's display name
    assert named_in(NAMES_YOU) == sorted(await naming(life))
    assert named_in(NAMES_NOBODY) == sorted(set(KINDS) - await naming(life))


def test_the_table_of_what_is_stored_has_each_kind_and_says_what_is_encrypted() -> None:
    rows = table(SECURITY, "What is stored")

    assert {kind for _, kinds in rows for kind in kinds} == set(KINDS)
    encrypted = {kind for row, kinds in rows if "| yes |" in row for kind in kinds}
    assert encrypted == {kind.name for kind in KINDS.values() if kind.sealed}


async def end_of_digest(life: Life) -> None:
    repository = DigestRepository(life.documents)
    [digest] = await repository.of_workspace(life.workspace)
    await repository.delete(life.workspace, digest.digest_id)


async def another_key(life: Life) -> None:
    for number in "23":  # the first moves into the place of the previous one
        draft = KeyDraft(secret=KEY[:-1] + number, label="", expires_on=None, scopes=())
        await keys.Keys(life.documents, RING, clock=life.clock).save(
            life.workspace, draft, set_by="U2"
        )


async def no_managers(life: Life) -> None:
    await Permissions(life.documents).name_managers(life.workspace, ())


async def many_acts(life: Life) -> None:
    for _ in range(MAX_ENTRIES):
        await Audit(life.documents, clock=life.clock).note(life.workspace, Act.KEY_SET, by="U2")


async def another_bulk_scan(life: Life) -> None:
    [run] = await life.documents.list_prefix(f"{life.workspace}/bulk-scan")
    await life.documents.put(
        run.key, {**run.value, "run": {**run.value["run"], "end": "done"}}
    )  # its summary was sent
    await life.bulk.start(life.workspace, "U2", items_of([a_domain()]), "")


async def a_quarter_of_an_hour(life: Life) -> None:
    life.clock.advance(15 * 60)
    await forget_expired(life.documents, life.clock())


async def nine_changes(life: Life) -> None:
    for registrar in "CDEFGHIJK":
        life.clock.advance(1)
        known = KeptFacts(scanned_at=life.clock(), signs={"registrar": registrar})
        await FactsRepository(life.documents).keep(life.workspace, f"{life.mark}.example", known)


async def removed(life: Life) -> None:
    await remove(life.documents)


ENDS: dict[str, tuple[str, Callable[[Life], Awaitable[None]]]] = {
    "digest": ("until the digest is deleted", end_of_digest),
    "key": ("until the key is replaced", another_key),
    "managers": ("until an admin changes it", no_managers),
    "audit": (f"the last {MAX_ENTRIES} acts", many_acts),
    "bulk-scan": ("until the next ones", another_bulk_scan),
    "ends": ("until eight later changes", nine_changes),
    "held-key": ("at most 15 minutes", a_quarter_of_an_hour),
    "kept": ("at most 15 minutes", a_quarter_of_an_hour),
    "greeted": ("until the app is removed", removed),
    "installation": ("until the app is removed", removed),
}


@pytest.mark.parametrize("kind", ENDS)
async def test_what_names_you_is_kept_as_long_as_it_says(
    documents: FencedDocuments, kind: str
) -> None:
    said, end = ENDS[kind]
    life = Life(documents, GONE, scans=1)
    await life.live()
    assert kind in await naming(life)

    await end(life)

    assert f"| {said}" in row_of(kind)
    assert kind not in await naming(life)


def test_times_are_those_of_the_bot() -> None:
    """The tests of each feature show that it keeps to them."""
    assert timedelta(days=30) == alert_life.KEPT_FOR
    assert "| at most 30 days" in row_of("digest-alert")
    assert timedelta(days=7) == EARLIER_KEPT_FOR
    assert "and 7 days as the previous one" in row_of("key")
    assert timedelta(minutes=15) == kept_commands.KEPT_FOR == keys.HELD_FOR
    assert timedelta(days=1) == adding.KEPT_FOR
    assert "| a day " in row_of("to-add")
    assert f"the last {MAX_PAST_RUNS}" in row_of("digest")
    assert WINDOW_S == 3600
    assert "of the hour" in row_of("budget")
    assert set(named_in(NAMES_YOU)) == {*ENDS, "digest-alert"}


async def test_what_names_nobody_and_expires_is_deleted(documents: FencedDocuments) -> None:
    life = Life(documents, GONE, scans=1)
    await life.live()

    life.clock.advance(24 * 60 * 60)
    await forget_expired(documents, life.clock())

    left = {kind_of(each.key) for each in await stored(life)}
    assert left == {kind.name for kind in KINDS.values() if not kind.is_temporary}
