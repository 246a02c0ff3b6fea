"""Several workspaces, and an organisation, whose people install one bot by OAuth."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot.playground.slack import LocalOrg, LocalSlack, Page, running_slack
from bot.playground.tracker import Tracker, running_tracker
from bot.settings import Settings
from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port
from tests.whole.harness import ABOUT, Clock, Harness, running_bot, settings_for

ALONE = ("amber", "birch", "coral")
IN_ORG = ("delta", "ember")


@dataclass
class Many:
    """The workspaces by name, each a harness of its own; all with the same people and ids."""

    slack: LocalSlack
    tracker: Tracker
    settings: Settings
    clock: Clock
    folder: Path
    org: LocalOrg | None = None
    apps: dict[str, Harness] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Harness:
        return self.apps[name]

    def move_in(self, name: str, workspace: LocalSlack, *, admin: str) -> None:
        self.apps[name] = Harness(
            workspace,
            self.tracker,
            self.settings,
            self.clock,
            self.folder,
            portfolio=name,
            admin=admin,
        )

    async def grant(self, name: str) -> None:
        """Let the organisation give the app to one of its workspaces."""
        assert self.org is not None
        await self.org.grant(self[name].slack)

    async def install(self, name: str, *, by: str = "ada", org_wide: bool = False) -> Page:
        """Let somebody install the bot; return the page on which that ends."""
        url = f"{self.settings.public_url}/slack/install"
        return await self[name].slack.person(by).install(url, org_wide=org_wide)

    async def settle(self, name: str) -> Harness:
        """Install the bot in a workspace, and give it a key and two domains of its own."""
        page = await self.install(name)
        assert page.status == 200, page.text
        return await self.furnish(name)

    async def furnish(self, name: str) -> Harness:
        app = self[name]
        await app.slack.invite_bot("general")
        await app.bob.next_message(where=lambda each: "is in this channel" in each.text)
        app.account.add(f"shop.{name}.example", health=41, folder=f"{name}-folder", tags=(name,))
        app.account.add(f"www.{name}.example", health=97)
        await app.connect()
        return app


@asynccontextmanager
async def running_many(
    folder: Path, names: Sequence[str] = ALONE, **how: Any
) -> AsyncIterator[Many]:
    """Run a bot that no one has installed yet, and these workspaces."""
    async with many_stand_ins(folder, names, **how) as many:
        with pytest.MonkeyPatch.context() as operator:
            # Bolt looks for these by itself.
            operator.setenv("SLACK_CLIENT_ID", many.slack.client_id)
            operator.setenv("SLACK_CLIENT_SECRET", many.slack.client_secret)
            async with running_bot(next(iter(many.apps.values()))):
                yield many


@asynccontextmanager
async def many_stand_ins(
    folder: Path,
    names: Sequence[str] = ALONE,
    *,
    in_org: Sequence[str] = (),
    transport: str = "http",
) -> AsyncIterator[Many]:
    """The same without the bot."""
    clock, port = Clock.from_noon(), reserve_port()
    async with (
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=clock.seconds,
            **ABOUT.settings,
            redirect_urls=[f"http://127.0.0.1:{port}/slack/oauth_redirect"],
            deploys_to_orgs=bool(in_org),
        ) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        oauth = {
            "slack_client_id": slack.client_id,
            "slack_client_secret": SecretStr(slack.client_secret),
            "slack_authorize_url": slack.authorize_url,
            "public_url": f"http://127.0.0.1:{port}",
            "port": port,
        }
        settings = settings_for(slack, tracker, folder, transport, **oauth)
        org = slack.add_org("globex") if in_org else None
        many = Many(slack, tracker, settings, clock, folder, org)
        for name in names:
            many.move_in(name, slack.add_workspace(name), admin="ada")
        if org:
            for name in in_org:
                many.move_in(name, org.add_workspace(name), admin="olga")
        yield many
