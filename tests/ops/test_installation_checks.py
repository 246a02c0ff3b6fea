from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from bot.installations.installation import Installation, Tokens, organisation
from bot.installations.repository import InstallationRepository
from bot.ops.doctor_slack import MAX_ASKED, InstallQuery, check_installations
from bot.ops.output import Finding, Mark
from bot.slack.auth import Grant
from bot.slack.errors import SlackError, TokenRefusedError
from bot.store.documents import Document
from bot.workspace import WorkspaceId
from tests.builders import BOT_TOKEN, MOMENT
from tests.memory import MemoryDocuments
from tests.ops.builders import an_installation
from tests.store.test_encryption import a_ring

pytestmark = pytest.mark.anyio

RING = a_ring("k1")
ACME, ORG = WorkspaceId("T1"), organisation("E1")


class Slack:
    """Answers for tokens; `errors` holds what it says of those of a workspace."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.errors: dict[str, SlackError] = {}

    async def __call__(self, token: str) -> Grant:
        self.asked.append(token)
        if token in self.errors:
            raise self.errors[token]
        return Grant(team_id="T", team_name="?", scopes=None)


def living(home: WorkspaceId, **fields: Any) -> Installation:
    """An installation whose token has no end; it is the workspace's own."""
    return an_installation(home, tokens=Tokens(access=f"{BOT_TOKEN}{home}"), **fields)


async def stored(*installations: Installation) -> list[Document]:
    documents = MemoryDocuments()
    for each in installations:
        await InstallationRepository(documents, RING).put(each)
    return await documents.list_prefix("")


async def found(
    documents: Sequence[Document], slack: Slack | None = None, **fields: Any
) -> Sequence[Finding]:
    ring = fields.get("ring", RING)
    url = "https://bot.example/slack/install"
    query = InstallQuery(ask=slack or Slack(), install_url=url, now=MOMENT)
    return await check_installations(documents, ring, query)


async def test_every_token_is_asked_about_and_none_is_shown() -> None:
    slack = Slack()

    findings = await found(await stored(living(ACME), living(ORG)), slack)

    assert [each.line for each in findings] == [
        "ok    installations: 2 installations; asked Slack about 2."
    ]
    assert sorted(slack.asked) == [f"{BOT_TOKEN}{ACME}", f"{BOT_TOKEN}{ORG}"]


async def test_only_the_latest_are_asked_about() -> None:
    slack = Slack()
    homes = [WorkspaceId(f"T{number:02}") for number in range(MAX_ASKED + 5)]
    kept = [
        living(home, installed_at=MOMENT + timedelta(days=day)) for day, home in enumerate(homes)
    ]

    (finding,) = await found(await stored(*kept), slack)

    assert finding.said == f"{MAX_ASKED + 5} installations; asked Slack about {MAX_ASKED}"
    assert slack.asked[0] == f"{BOT_TOKEN}{homes[-1]}"
    assert f"{BOT_TOKEN}{homes[0]}" not in slack.asked


async def test_a_refused_token_is_a_warning_that_names_the_workspace() -> None:
    slack = Slack()
    slack.errors[f"{BOT_TOKEN}{ORG}"] = TokenRefusedError("account_inactive")
    documents = await stored(living(ACME), living(ORG, name="Big\x1b[31m"))

    (finding,) = await found(documents, slack)

    assert finding.mark is Mark.WARN
    assert "it refuses Big\\x1b[31m (organisation E1): account_inactive" in finding.said
    assert "https://bot.example/slack/install" in finding.mend


async def test_when_slack_refuses_all_of_them_it_is_a_failure() -> None:
    slack = Slack()
    slack.errors[f"{BOT_TOKEN}{ACME}"] = TokenRefusedError("invalid_auth")

    (finding,) = await found(await stored(living(ACME)), slack)

    assert finding.mark is Mark.FAIL


async def test_a_token_that_has_ended_is_left_for_the_bot_to_renew() -> None:
    slack = Slack()

    (finding,) = await found(await stored(an_installation(ACME)), slack)

    assert slack.asked == []
    assert finding.line == "ok    installations: 1 installation; asked Slack about 0."


async def test_revoked_tokens_are_told_with_what_becomes_of_the_workspace() -> None:
    revoked = an_installation(ACME, tokens=None, revoked_at=MOMENT)

    _, finding = await found(await stored(revoked))

    assert finding.mark is Mark.WARN
    assert "Slack accepts the tokens of Acme (T1) no longer" in finding.said
    assert "The data is deleted 30 days after" in finding.mend
    assert "To keep it, let an admin there open" in finding.mend


async def test_a_workspace_of_the_time_with_one_token_is_asked_to_install() -> None:
    documents = [
        Document("-.T9/digest/d1", {}, 1, None),
        Document("E1.T2/key", {}, 1, None),
        Document("meta/key-check", {}, 1, None),
        *(await stored(living(ORG))),
    ]

    *_, finding = await found(documents)

    assert finding.mark is Mark.WARN
    assert "the store knows T9, where the app is not installed by OAuth" in finding.said


async def test_an_installation_that_nobody_can_read_is_told() -> None:
    _, finding = await found([Document(f"{ACME}/installation", {"v": 9}, 1, None)])

    assert finding.mark is Mark.WARN
    assert "this version of the bot cannot read 1 installation" in finding.said
