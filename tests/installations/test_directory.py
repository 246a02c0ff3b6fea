"""Which installation serves a workspace: its own, that of its organisation, or none."""

import pytest

from bot.installations.models import organisation
from bot.installations.repository import Directory, ResolvedInstallation
from bot.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.fakes import FakeClock
from tests.installations.renewals import a_memory, a_shelf, an_installation
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ALONE = WorkspaceId("T1")
IN_ORG = WorkspaceId("T1", "E1")
WHOLE = organisation("E1")


class Hall:
    """A store and a directory of it."""

    def __init__(self) -> None:
        self.documents = MemoryDocuments()
        self.recent = a_memory(self.documents, FakeClock().seconds)
        self.directory = Directory(self.recent)

    async def install(self, *homes: WorkspaceId) -> None:
        for home in homes:
            await a_shelf(self.documents).put(an_installation(home))


@pytest.fixture
def hall() -> Hall:
    return Hall()


@pytest.mark.parametrize(
    ("installed", "expected"),
    [
        ([IN_ORG], ResolvedInstallation(IN_ORG, IN_ORG)),
        ([WHOLE], ResolvedInstallation(WHOLE, IN_ORG)),
        ([IN_ORG, WHOLE], ResolvedInstallation(IN_ORG, IN_ORG)),
        ([ALONE], ResolvedInstallation(ALONE, ALONE)),
        ([ALONE, WHOLE], ResolvedInstallation(ALONE, ALONE)),
        ([], None),
        ([WorkspaceId("T2", "E1"), WorkspaceId("T1", "E2"), organisation("E2")], None),
    ],
    ids=["own", "org", "own-before-org", "moved", "moved-before-org", "none", "others"],
)
async def test_a_request_inside_an_organisation_is_served_by(
    hall: Hall, installed: list[WorkspaceId], expected: ResolvedInstallation | None
) -> None:
    await hall.install(*installed)

    assert await hall.directory.find("T1", "E1", is_org_install=True) == expected


async def test_a_request_that_is_not_for_an_organisations_app_never_gets_its_token(
    hall: Hall,
) -> None:
    await hall.install(WHOLE)

    assert await hall.directory.find("T1", "E1", is_org_install=False) is None
    assert await hall.directory.find("T1", None) is None
    assert await hall.directory.find("T1", "E1") == ResolvedInstallation(WHOLE, IN_ORG)


async def test_an_organisation_is_not_taken_for_a_workspace(hall: Hall) -> None:
    await hall.install(WHOLE)

    assert await hall.directory.find("E1", "E1", is_org_install=True) is None


async def test_an_installation_without_tokens_leaves_room_for_the_organisations(
    hall: Hall,
) -> None:
    await hall.install(WHOLE)
    await a_shelf(hall.documents).put(an_installation(IN_ORG, tokens=None, revoked_at=MOMENT))

    assert await hall.directory.find("T1", "E1", is_org_install=True) == ResolvedInstallation(
        WHOLE, IN_ORG
    )


async def test_what_another_process_installed_a_moment_ago_is_found(hall: Hall) -> None:
    revoked = an_installation(ALONE, tokens=None, revoked_at=MOMENT)
    await a_shelf(hall.documents).put(revoked)
    assert await hall.directory.find("T1", None) is None
    await hall.recent.get(ALONE)

    await hall.install(ALONE)

    assert await hall.directory.find("T1", None) == ResolvedInstallation(ALONE, ALONE)


async def test_a_known_workspace_is_served_by_its_own_or_its_organisations(hall: Hall) -> None:
    assert await hall.directory.resolve(IN_ORG) is None
    await hall.install(WHOLE)
    assert await hall.directory.resolve(IN_ORG) == ResolvedInstallation(WHOLE, IN_ORG)
    await hall.install(IN_ORG)
    hall.directory.forget(IN_ORG)

    assert await hall.directory.resolve(IN_ORG) == ResolvedInstallation(IN_ORG, IN_ORG)
    assert await hall.directory.resolve(WHOLE) == ResolvedInstallation(WHOLE, WHOLE)


async def test_a_workspace_that_was_forgotten_is_read_anew(hall: Hall) -> None:
    await hall.install(ALONE)
    await hall.directory.find("T1", None)
    await hall.documents.delete_prefix("-.T1/")

    hall.directory.forget(ALONE)

    assert await hall.directory.find("T1", None) is None
