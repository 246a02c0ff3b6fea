from bot.installations.installation import Installation
from bot.installations.repository import InstallationRepository
from bot.ops.doctor_slack import installations_finding
from bot.ops.output import Finding, Mark
from bot.process.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.memory import MemoryDocuments
from tests.ops.builders import ACME, an_installation
from tests.store.test_encryption import a_ring


async def found(*installations: Installation) -> Finding:
    documents = MemoryDocuments()
    for each in installations:
        await InstallationRepository(documents, a_ring("k1")).put(each)
    kept = await documents.list_prefix("")
    return installations_finding(kept, "https://bot.example/slack/install")


async def test_installations_are_counted() -> None:
    finding = await found(an_installation(ACME), an_installation(WorkspaceId("T2")))

    assert finding.line == "ok    installations: 2 installations."


async def test_without_one_it_says_where_people_install_the_app() -> None:
    finding = await found()

    assert finding.mark is Mark.OK
    assert "https://bot.example/slack/install" in finding.said


async def test_revoked_tokens_are_listed_with_their_workspace() -> None:
    finding = await found(an_installation(ACME, token=None, revoked_at=MOMENT))

    assert finding.mark is Mark.WARN
    assert "Slack took back the tokens of -.T1/installation" in finding.said
    assert "The data is deleted 30 days after" in finding.mend
    assert "https://bot.example/slack/install" in finding.mend
