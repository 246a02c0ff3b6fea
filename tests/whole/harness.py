"""A workspace, a Domain Tracker and the whole bot between them, over real sockets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import psycopg
from psycopg import sql
from pydantic import SecretStr

from bot.app.main import FINISH_WITHIN_S, serve
from bot.app.services import Role
from bot.playground.manifest import read_manifest
from bot.playground.slack import LocalSlack, Message, Person, View, running_slack
from bot.playground.tracker import Account, Tracker, running_tracker
from bot.process.clock import utc_now
from bot.settings import Settings
from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port

SCOPES = ("read_domains", "write_domains")
# The very file that is pasted into Slack: a command or permission that it lacks is lacking here.
ABOUT = read_manifest(Path(__file__).parents[2] / "manifest.yml")
READY = "ready"
KEY_BUTTONS = {"Set key", "Replace key"}
RING = "k1:" + "a" * 43 + "="


class Clock:
    """A clock that runs, and can be moved ahead."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.ahead

    def seconds(self) -> float:
        return self().timestamp()

    @classmethod
    def from_noon(cls) -> "Clock":
        """Return one that begins at the next noon: no slot and no night is near."""
        clock, now = cls(), utc_now()
        noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
        clock.ahead = (noon - now) % timedelta(days=1)
        return clock


@dataclass
class Harness:
    """Everybody in it, by name: `ada` is an admin, `bob` a member."""

    slack: LocalSlack
    tracker: Tracker
    settings: Settings
    clock: Clock
    folder: Path
    key: str = field(default="", repr=False)
    portfolio: str = "acme"
    admin: str = "ada"
    first_steps: Message | None = None

    @property
    def account(self) -> Account:
        return self.tracker.account(self.portfolio)

    @property
    def ada(self) -> Person:
        return self.slack.person("ada")

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    async def ask(self, person: Person, line: str, **how: Any) -> Message:
        """Type a line and return the first answer that is more than "please wait"."""
        await person.type(line, **how)
        return await self.answer(person, how.get("channel", "general"))

    async def answer(self, person: Person, channel: str = "general") -> Message:
        return await person.next_message(
            channel=channel, where=lambda message: not _is_progress(message.everything)
        )

    async def press(self, person: Person, message: Message, label: str, nth: int = 0) -> Message:
        await person.press(message, label, nth=nth)
        return await self.answer(person)

    async def connect(self, *, scopes: tuple[str, ...] = SCOPES, **key: Any) -> str:
        """Set a key the way an admin does; return its value.

        What a workspace is offered after its first key is taken note of, and not used.
        """
        is_first = not self.key
        self.key = self.account.create_key("bot", scopes=scopes, **({"days": 90} | key))
        form = await self.submit_key(self.key, Scopes=list(scopes))
        assert "works and is saved" in form.everything
        if is_first:
            self.first_steps = await self.next_first_steps()
        return self.key

    async def next_first_steps(self) -> Message:
        """Return what an admin is offered after the first key."""
        return await self.slack.person(self.admin).next_message(
            where=lambda message: "Nightly scans are on." in message.everything
        )

    async def submit_key(self, key: str, **fields: Any) -> View:
        """Fill in the key's form; return the form that stands there in the end."""
        admin = self.slack.person(self.admin)
        await admin.type("/domainkey")
        state = await admin.next_message(
            where=lambda message: bool(KEY_BUTTONS & set(message.buttons))
        )
        await admin.press(state, (KEY_BUTTONS & set(state.buttons)).pop())
        delivery = await admin.submit(await admin.next_form(), {"API key": key, **fields})
        assert not delivery.errors, delivery.errors
        while "⏳" in (form := await admin.next_form()).everything:
            pass
        return form

    def service_requests(self) -> list[tuple[str, str]]:
        """Every request that the service got: method, and last part of the path."""
        return [(sent.method, sent.path.rpartition("/")[2]) for sent in self.tracker.requests]

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.settings.port}{path}"


def _is_progress(text: str) -> bool:
    return "⏳" in text or "comes as a new message" in text


def bytes_at_rest(folder: Path) -> bytes:
    """Return all that the bot has left in its folder."""
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


async def text_in_store(app: Harness) -> bytes:
    """Return all that the bot has stored: its files, or the rows of every table."""
    if not app.settings.is_shared:
        return await asyncio.to_thread(bytes_at_rest, app.settings.database_path.parent)
    rows = []
    async with await psycopg.AsyncConnection.connect(app.settings.database_url) as connection:
        tables = await connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        )
        for (table,) in await tables.fetchall():
            found = await connection.execute(
                sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(table))
            )
            rows += [row for (row,) in await found.fetchall()]
    return "\n".join(rows).encode()


async def lose_store(app: Harness) -> None:
    """Let the store take no writes any more while the bot runs: its file, or disk, is gone."""
    if not app.settings.is_shared:
        app.settings.database_path.unlink()
        return
    async with await psycopg.AsyncConnection.connect(app.settings.database_url) as connection:
        await connection.execute(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql"
            " AS $$ BEGIN RAISE EXCEPTION 'No space left on device'; END $$"
        )
        await connection.execute(
            "CREATE TRIGGER f BEFORE INSERT OR UPDATE ON document EXECUTE FUNCTION refuse()"
        )


def settings_for(
    slack: LocalSlack, tracker: Tracker, folder: Path, transport: str, **more: Any
) -> Settings:
    """`transport`: `socket`, `http`, or the address of a PostgreSQL that two processes share.

    `more` takes the place of the bot's token.
    """
    own: dict[str, Any] = {"database_url": f"sqlite:///{folder}/bot.sqlite"}
    if transport == "socket":
        own["slack_app_token"] = SecretStr(slack.app_token)
    else:
        own["slack_signing_secret"] = SecretStr(slack.signing_secret)
    if transport not in {"socket", "http"}:
        own |= {"database_url": transport, "bot_secret_keys": SecretStr(RING)}
    return Settings(
        domain_tracker_url=tracker.url,
        slack_api_url=slack.api_url,
        tick_seconds=0.5,
        **own,
        **more
        or {
            "slack_bot_token": SecretStr(slack.bot_token),
            "port": reserve_port(),
            "egress_ips": "203.0.113.7",
        },
    )


@asynccontextmanager
async def running_harness(folder: Path, transport: str) -> AsyncIterator[Harness]:
    async with running_stand_ins(folder, transport) as app, running_bot(app):
        yield app


@asynccontextmanager
async def running_stand_ins(
    folder: Path, transport: str, clock: Clock | None = None
) -> AsyncIterator[Harness]:
    """A harness whose bot is not started yet; by default it is noon, whatever the hour is."""
    clock = clock or Clock.from_noon()
    async with (
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=clock.seconds,
            **ABOUT.settings,
        ) as slack,
        running_tracker(clock=clock) as tracker,
    ):
        yield Harness(
            slack, tracker, settings_for(slack, tracker, folder, transport), clock, folder
        )


@asynccontextmanager
async def running_bot(
    app: Harness, *, finish_within_s: float = FINISH_WITHIN_S
) -> AsyncIterator[None]:
    """Run the bot inside the block: in one process's worth of objects, or in two that share."""
    stop = asyncio.Event()
    roles = [Role.WEB, Role.WORKER] if app.settings.is_shared else [Role.ALL]
    ports = [app.settings.port, *(reserve_port() for _ in roles[1:])]
    bots = [
        asyncio.create_task(
            serve(
                app.settings.model_copy(update={"port": port}),
                stop,
                role=role,
                clock=app.clock,
                finish_within_s=finish_within_s,
            )
        )
        for role, port in zip(roles, ports, strict=True)
    ]
    try:
        for bot, port in zip(bots, ports, strict=True):
            await until_ready(app, bot, port=port)
        yield
    finally:
        stop.set()
        await asyncio.gather(*bots)


async def until_ready(
    app: Harness, bot: "asyncio.Task[None] | None" = None, *, port: int | None = None
) -> None:
    """Wait for one process; `port` is the one that takes Slack's requests if not given."""
    if not app.settings.slack_app_token:
        app.slack.deliver_to(app.url("/slack/events"))
    url = f"http://127.0.0.1:{port or app.settings.port}/readyz"
    said = ""
    try:
        async with asyncio.timeout(TIME_LIMIT_S), aiohttp.ClientSession() as http:
            while (said := await _readiness(http, url)) != READY:
                assert bot is None or not bot.done(), bot.exception()
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise TimeoutError(f"not ready within {TIME_LIMIT_S} s: {said}") from None


async def _readiness(http: aiohttp.ClientSession, url: str) -> str:
    try:
        async with http.get(url) as answer:
            return READY if answer.status == 200 else await answer.text()
    except aiohttp.ClientConnectionError as error:
        return repr(error)
