"""Of a workspace that removed the app not a byte is left: of no kind, in no file.

That of all tables nothing is left, tests/whole/test_workspaces.py sees.
"""

import re
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest

from bot.access.permissions import Permissions
from bot.access.repository import Act, Audit
from bot.digests.alert_card import AlertCard, Fall
from bot.digests.baseline import pack
from bot.digests.repository import DigestRepository
from bot.dispatch.commands import Audience
from bot.dispatch.kept_commands import KeptCommand, KeptCommands
from bot.domains.adding import DomainAdder, NewDomains
from bot.domains.kept_facts import FactsRepository, KeptFacts
from bot.domains.service import Portfolio, SeenDomains, StoredVersions
from bot.home.listeners import GREETED
from bot.installations.installation import UninstallEvent, UninstallKind, scope_of_key
from bot.installations.repository import InstallationRepository
from bot.keys.key_record import KeyDraft
from bot.keys.repository import Keys
from bot.ops.sealed_texts import sealed_in, unopened
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.scans.bulk_record import items_of
from bot.scans.bulk_runner import BulkScans
from bot.scans.nightly import NightlySetting
from bot.scans.service import Scans
from bot.store.documents import Documents, kind_of
from bot.store.fenced import ErasableDocuments, FencedDocuments
from bot.store.kinds import KINDS
from bot.store.sqlite import open_sqlite
from bot.tracker.models import NewDomain
from bot.tracker.rate_limit import RateLimiter
from bot.tracker.shared_limits import SharedLimits
from tests.builders import KEY, MOMENT, a_domain
from tests.digests.builders import a_baseline, a_digest
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts
from tests.installations.builders import RING, an_installation, an_uninstaller
from tests.scans.test_service import Scanner
from tests.store.test_sqlite import content_of

BOT = Path(__file__).parents[2] / "bot"
GONE, STAYS = WorkspaceId("T0GONE", "E0GONE"), WorkspaceId("T0STAYS", "E0STAYS")


async def refuse(*_new: object, **_how: object) -> NoReturn:
    raise AssertionError("nothing is added here")


class Life:
    """Everything that a workspace writes in the course of its life, with a mark in its names."""

    def __init__(
        self, documents: ErasableDocuments, workspace: WorkspaceId, scans: int = 30
    ) -> None:
        self.documents = documents
        self.scans = scans
        self.workspace = workspace
        self.clock = FakeClock()
        self.mark = workspace.team_id.lower()

    async def live(self) -> None:
        await self._install()
        await self._set_up()
        await self._use()

    async def _install(self) -> None:
        repository = InstallationRepository(self.documents, RING)
        person = f"U_{self.mark}"
        await repository.put(
            an_installation(
                self.workspace,
                f"xoxb-{self.mark}",
                installed_by=person,
                name=f"name of {self.mark}",
                bot_user_id=f"B_{self.mark}",
            )
        )
        await self.documents.put(f"{self.workspace}/{GREETED}/{person}", {"v": 1})

    async def _set_up(self) -> None:
        keys = Keys(self.documents, RING, clock=self.clock)
        for number in range(2):
            draft = KeyDraft(
                secret=f"{KEY[:-1]}{number}",
                label=f"label of {self.mark}",
                expires_on=None,
                scopes=("read_domains",),
            )
            await keys.save(self.workspace, draft, set_by=f"U_{self.mark}")
            await keys.hold(self.workspace, draft, f"U_{self.mark}")
        await Permissions(self.documents).name_managers(self.workspace, (f"U_{self.mark}",))
        audit = Audit(self.documents, clock=self.clock)
        await audit.note(self.workspace, Act.KEY_SET, by=f"U_{self.mark}", channel_id="C1")
        digests = DigestRepository(self.documents)
        baseline = pack(a_baseline({f"{self.mark}.example": 41}))
        digest = a_digest(
            channel_id=f"C_{self.mark}", made_by=f"U_{self.mark}", packed_baseline=baseline
        )
        await digests.put(self.workspace, digest)
        nights = NightlySetting(self.documents, digests.zones, clock=self.clock)
        await nights.begin(self.workspace)
        now = self.clock()
        fall = Fall(host=f"{self.mark}.example", at=now, told_at=now)
        alert = AlertCard(
            channel_id=f"C_{self.mark}", falls=(fall,), due=now, taken_by=f"U_{self.mark}"
        )
        await digests.keep_card(self.workspace, f"{digest.digest_id}/1", alert)
        permissions = Permissions(self.documents)
        await permissions.choose_audiences(self.workspace, {"add": Audience.MANAGERS})

    async def _use(self) -> None:
        await SeenDomains(self.documents).note(self.workspace, [f"{self.mark}.example"])
        versions = StoredVersions(self.documents)
        portfolio = Portfolio(FakeLists().list_domains, clock=self.clock, versions=versions)
        facts = FactsRepository(self.documents)
        scans = Scans(
            Scanner().scan,
            portfolio,
            self.documents,
            facts,
            clock=self.clock,
        )
        for number in range(self.scans):
            host = f"{self.mark}{number}.example"
            await scans.run(self.workspace, a_domain(host, domain_id="d1"))
        for registrar in "AB":
            signs = {"registrar": registrar}
            known = KeptFacts(scanned_at=self.clock(), signs=signs)
            changes = await facts.keep(self.workspace, f"{self.mark}.example", known)
        expected = [each._replace(expected_by=f"U_{self.mark}") for each in changes]
        await facts.expect(self.workspace, f"{self.mark}.example", expected)
        adder = DomainAdder(refuse, portfolio, self.documents)
        labels = NewDomain(host=f"{self.mark}.example", domain_type="owned")
        await adder.keep(self.workspace, NewDomains((labels,)))
        self.bulk = BulkScans(self.documents, Tasks(), scans, FakePosts(), clock=self.clock)
        await self.bulk.start(self.workspace, f"U_{self.mark}", items_of([a_domain()]), self.mark)
        command = KeptCommand(
            command="/scan",
            text="x",
            user_id=f"U_{self.mark}",
            channel_id=f"C_{self.mark}",
            response_url="https://hooks.example",
        )
        await KeptCommands(self.documents, RING, clock=self.clock).keep(self.workspace, command)
        await self._ask()

    async def _ask(self) -> None:
        """Send a request, and let other processes know."""
        tasks, limiter = Tasks(), RateLimiter(clock=self.clock)
        limits = SharedLimits(self.documents, limiter, tasks)
        limits.after_request(self.workspace, "fingerprint")
        assert await tasks.drain(TIME_LIMIT_S)


@pytest.fixture
async def documents(tmp_path: Path) -> AsyncIterator[FencedDocuments]:
    store = await open_sqlite(tmp_path / "bot.sqlite")
    yield FencedDocuments(store, beginning_of=scope_of_key)
    await store.close()


async def kinds_of(documents: Documents, workspace: WorkspaceId) -> set[str]:
    found = await documents.list_prefix(f"{workspace}/")
    return {kind_of(document.key) for document in found}


def kinds_in_the_source() -> set[str]:
    """Return the second part of every name under which something of a workspace is kept."""
    found = set()
    for path in BOT.rglob("*.py"):
        source = path.read_text()
        for written, constant in re.findall(
            r'f"\{(?:workspace|home)\}/(?:([a-z-]+)|\{([A-Z_]+)\})[/"]', source
        ):
            value = re.search(rf'^{constant} = "([a-z-]+)"$', source, re.MULTILINE)
            if written or value:
                found.add(written or (value and value[1]))
    return {kind for kind in found if kind}


async def test_every_kind_of_document_is_in_the_table_and_is_tried(
    documents: FencedDocuments,
) -> None:
    """Who writes another kind adds it to the table, and has it written here too."""
    await Life(documents, GONE).live()

    assert kinds_in_the_source() == set(KINDS)
    assert await kinds_of(documents, GONE) == set(KINDS)


async def test_what_is_sealed_is_sealed_as_the_table_says(documents: FencedDocuments) -> None:
    await Life(documents, GONE).live()
    found = await documents.list_prefix(f"{GONE}/")

    sealed = [(kind_of(each.key), text.path) for each in found for text in sealed_in(each)]
    assert sorted(sealed) == sorted(
        (kind.name, at) for kind in KINDS.values() for at in kind.sealed
    )
    assert list(unopened(found, RING)) == []


REMOVAL = UninstallEvent(GONE, UninstallKind.REMOVED, MOMENT)


async def remove(documents: ErasableDocuments) -> None:
    await an_uninstaller(documents).handle(REMOVAL)


async def test_nothing_is_left_in_any_file(documents: FencedDocuments, tmp_path: Path) -> None:
    for workspace in (GONE, STAYS):
        await Life(documents, workspace).live()
    sealed = [
        text.encode()
        for document in await documents.list_prefix(f"{GONE}/")
        for text in re.findall(r"'sealed': '([^']+)'", str(document.value))
    ]

    await remove(documents)

    content = content_of(tmp_path)
    assert len(sealed) == 5
    for trace in (b"t0gone", b"T0GONE", b"E0GONE", *sealed):
        assert trace not in content
    assert b"name of t0stays" in content
    later = MOMENT + timedelta(days=400)
    assert all(key.startswith(f"{STAYS}/") for key in await documents.due_keys(later))
