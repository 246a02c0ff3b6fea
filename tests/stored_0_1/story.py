"""What the people of several workspaces do in a week with version 0.1 of the bot.

It leaves one of each state behind that a later version has to go on with. Times are UTC.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import SecretStr

from bot.playground.slack import Message, Person
from tests.stored_0_1.outside import HOME, IN_ORG
from tests.stored_0_1.rows import Rows, digests_at, rows, until_rows
from tests.whole.digests import make, open_list, press_in, score, settled
from tests.whole.many import Many
from tests.whole.test_home import home_where, window
from tests.whole.test_key_admin import name_managers, open_form, submit
from tests.whole.test_operating import oauth
from tests.whole.test_process import environment
from tests.whole.town import SCOPES, Town, running_bot, settings_for, until_ready

# The key that came first in the beginning, and the one that took its place: a ring half rotated.
OLD_KEY, NEW_KEY = "k0:" + "c" * 43 + "=", "k1:" + "d" * 43 + "="
RING = f"{NEW_KEY},{OLD_KEY}"

ISSUES = {
    "domainId": "shop",
    "ssl": {"issuer": "Old CA", "validTo": "2026-03-25"},
    "security": {"issues": [{"severity": "high", "title": "No DMARC record"}]},
}
MANY = {f"name{number}": number for number in range(60)}  # more than a message shows
DAILY = {"Worst domains shown": "5"}
WORSE = {
    "Time": "09:05",
    "Post": "When something got worse",
    "Sign of life": "After 3 silent runs",
    "Tag or folder": "tag:prod",
    "Mention": ["ada"],
}


@dataclass
class Story:
    """How far it has come. `keys` are all that the service ever made: workspace and value."""

    many: Many
    keys: list[tuple[str, str]] = field(default_factory=list)

    @property
    def home(self) -> Town:
        return self.many[HOME]

    def at(self, moment: str) -> None:
        """Let it be that moment, some day in March 2026."""
        then = datetime.fromisoformat(f"2026-03-{moment}+00:00")
        self.many.clock.ahead = then - datetime.now(UTC) + timedelta(seconds=0.1)

    async def connect(self, name: str) -> None:
        """Let an admin set a workspace's first key."""
        self.keys.append((name, await self.many[name].connect()))

    async def until(self, there: Callable[[Rows], object]) -> Rows:
        """Wait until the store says so."""
        return await until_rows(self.many.settings, there)

    async def until_run(self, name: str, time: str, *outcomes: str) -> None:
        """Wait until the last runs of that digest have ended so and its notices are sent."""

        def is_over(found: Rows) -> bool:
            [digest] = digests_at(found, self.many[name].slack.team_id, time)
            last = [each["outcome"] for each in digest["past"][-len(outcomes) :]]
            return last == [*outcomes] and not digest["run"] and not digest["notices"]

        await self.until(is_over)

    async def next_run(self, day: str, time: str) -> None:
        """Let it be that time, and wait until the digest at home has had one run more."""

        def past_runs(found: Rows) -> int:
            [digest] = digests_at(found, self.home.slack.team_id, time)
            return len(digest["past"])

        before = past_runs(await rows(self.many.settings))
        self.at(f"{day}T{time}")
        await self.until(lambda found: past_runs(found) > before)

    async def until_waiting(self, name: str, time: str, attempt: int = 1) -> None:
        """Wait until the run of the digest at that time waits after so many attempts."""
        await self.until(lambda found: self._run(found, name, time) == ("waiting", attempt))

    async def until_posting(self, name: str, time: str) -> None:
        """Wait until the digest at that time may have been posted."""
        await self.until(lambda found: self._run(found, name, time) == ("posting", 1))

    def _run(self, found: Rows, name: str, time: str) -> tuple[str, int] | None:
        [digest] = digests_at(found, self.many[name].slack.team_id, time)
        run = digest["run"]
        return (run["state"], run["attempt"]) if run else None


def with_one_token(many: Many) -> Town:
    """Return the workspace in which the bot is at home before it can be installed."""
    settings = settings_for(many.slack, many.tracker, many.folder, "http")
    database = many.settings.database_url
    ring = many.settings.bot_secret_keys
    more = {"database_url": database, "bot_secret_keys": ring, "port": many.settings.port}
    return replace(many[HOME], settings=settings.model_copy(update=more))


# The first two days, with one token


async def first_two_days(story: Story) -> None:
    home = story.home
    story.at("02T07:00")
    async with running_bot(with_one_token(story.many)):
        await home.slack.person("olga").next_message("dm")  # that the store is empty
        await settle(story)
        await make_digests(story)
        await a_day(story, "02", worse="posted")
        score(home, "shop.example", 30)
        home.acme.add("fresh.example", health=64, tags=("prod",))
        await a_day(story, "03", worse="posted")


async def settle(story: Story) -> None:
    """Fill the portfolio, set a key, name managers, scan."""
    home = story.home
    home.acme.add("shop.example", health=41, tags=("prod", "eu"), folder="Web shops")
    home.acme.add("www.example", health=97, tags=("prod",), folder="Sites")
    home.acme.add("new.example", health=None)
    home.acme.scan_results["shop.example"] = ISSUES
    await story.connect(HOME)
    await name_managers(home, "bob")
    form = await open_form(home, "Managers")
    await submit(home.ada, form, Managers=["bob"], User_groups=["@web-team"])
    await home.ask(home.bob, "/scan shop.example")
    home.acme.scan_results["shop.example"] = ISSUES | {"ssl": {"issuer": "New CA"}, "dns": MANY}
    await home.ask(home.bob, "/scan shop.example")
    await home.ask(home.bob, "/scan shop.exmaple")
    home.tracker.fail_next("drop", on="add")
    assert "Try again" in (await home.ask(home.bob, "/adddomain lost.example tag:eu")).buttons
    await home.bob.by_id.open_home()
    view = await home_where(home, home.bob, "shop.example")
    await home.bob.press(view, "Scan", nth=1)
    await home.bob.close(await window(home.bob, "Open messages"))


async def make_digests(story: Story) -> None:
    """Let bob make one of each kind; those in the closed channel are paused in the end."""
    home = story.home
    home.slack.invite_bot("random")
    await make(home, DAILY)
    await make(home, WORSE)
    for time in ("10:00", "10:02"):
        await make(home, {"Time": time, "Filter": "below:60"})
    await make(home, {"Time": "09:20"}, channel="shared")
    await make(home, {"Time": "09:15", "Time zone": "UTC"}, channel="random")
    berlin = {"Time": "08:30", "Time zone": "Europe/Berlin", "Filter": "tag:eu"}
    await pause(home, await make(home, berlin, channel="secret"), until="2026-03-09")
    await make(home, {"Time": "18:00"}, channel="secret")
    listed = await open_list(home, home.bob, "secret")
    await pause(home, listed)


async def pause(town: Town, listed: Any, until: str | None = None) -> None:
    asked = await press_in(town.bob, listed, "Pause")
    await town.bob.submit(asked, {"Until": until} if until else {})
    assert "Paused" in (await settled(town.bob)).everything


async def a_day(story: Story, day: str, *, worse: str) -> None:
    """Let every digest have its run, one after the other."""
    for time, outcome in {
        "09:00": "posted",
        "09:05": worse,
        "09:15": "posted",
        "09:20": "posted",
        "10:00": "posted",
        "10:02": "posted",
    }.items():
        await story.next_run(day, time)
        await story.until_run(HOME, time, outcome)


# After two days without the bot


async def troubles(story: Story) -> None:
    """Let runs be missed, late, silent, uncertain, refused and failed; replace the key."""
    home = story.home
    story.at("06T10:30")
    async with running_bot(with_one_token(story.many)):
        for time in ("09:00", "09:15", "09:20", "10:00", "10:02"):
            await story.until_run(HOME, time, "missed", "missed", "posted")
        await story.until_run(HOME, "09:05", "missed", "missed", "quiet")
        story.at("07T09:00")
        await story.until_run(HOME, "09:00", "posted", "posted")
        story.at("07T09:05")
        await story.until_run(HOME, "09:05", "quiet", "quiet")
        home.slack.remove_bot("random")
        story.at("07T09:15")
        await story.until_run(HOME, "09:15", "posted", "failed")
        home.slack.fail_next("chat.postMessage", kind="drop", after_acting=True)
        story.at("07T09:20")
        await story.until_run(HOME, "09:20", "posted", "uncertain")
        home.tracker.fail_next("503", times=500)
        story.at("07T10:00")
        await story.until_waiting(HOME, "10:00")
        story.at("07T16:30")  # its grace is over
        await story.until_run(HOME, "10:00", "posted", "failed")
        await story.until_run(HOME, "10:02", "posted", "missed")
        home.tracker.faults.clear()
        story.at("07T17:00")
        new = home.acme.create_key("second", scopes=SCOPES, days=90)
        story.keys.append((HOME, new))
        assert "works and is saved" in (await home.submit_key(new)).everything
        home.key = new
        await home.ask(home.bob, "/domains")


# The day on which it is installed in other workspaces


async def installations(story: Story) -> None:
    many = story.many
    story.at("08T07:00")
    async with running_bot(story.home):
        assert (await many.install(HOME)).status == 200
        await workspaces_alone(story)
        await an_organisation(story)
        for person in (story.home.ada, story.home.bob):
            await person.by_id.open_home()
        await story.until(lambda found: "-.T0PLAYGROUND/home-viewers" in found)
        for time in ("09:00", "09:05", "09:20"):
            await story.next_run("08", time)
        story.at("08T09:30")
        await story.until_run("delta", "09:30", "posted")
        many["ember"].acme.delete_key(many["ember"].key)
        story.at("08T09:40")
        await story.until_waiting("ember", "09:40")
        await story.until(lambda found: found["E0GLOBEX.T0EMBER/key"]["told_at"])
        many.slack.fail_next("chat.postMessage", "ratelimited", retry_after_s=3600)
        story.at("08T09:45")
        await story.until_waiting("birch", "09:45")


async def workspaces_alone(story: Story) -> None:
    """Install it in workspaces without an organisation: one has no key, others are in trouble."""
    many = story.many
    assert (await many.install("amber")).status == 200
    await furnish(story, "coral", {"Time": "12:00"})
    await many["coral"].slack.revoke_bot_token()
    await furnish(story, "dune", {"Time": "12:00"})
    await many["dune"].slack.uninstall()
    await story.until(lambda found: not any("T0DUNE" in key for key in found))
    many.slack.rotates_tokens = True
    await furnish(story, "birch", {"Time": "09:45"})
    many.slack.rotates_tokens = False
    birch = many["birch"]
    listed = await open_list(birch, birch.ada)
    await press_in(birch.ada, listed, "Only admins may change digests")


async def an_organisation(story: Story) -> None:
    """Let an organisation give it to two workspaces, and take it back from a third."""
    many = story.many
    assert many.org
    await many.install(IN_ORG[0], by="olga", org_wide=True)
    for name in IN_ORG:
        await many.grant(name)
    await furnish(story, "delta", {"Time": "09:30"}, is_installed=True)
    await furnish(story, "ember", {"Time": "09:40"}, is_installed=True)
    await many.org.revoke_access(many["fjord"].slack)
    await story.until(lambda found: not any("T0FJORD" in key for key in found))


async def furnish(
    story: Story, name: str, digest: dict[str, str], *, is_installed: bool = False
) -> None:
    """Give a workspace the bot, a key, two domains and a digest."""
    await (story.many.furnish(name) if is_installed else story.many.settle(name))
    town = story.many[name]
    story.keys.append((name, town.key))
    await make(town, digest)


# The end: killed in the middle


async def killed(story: Story) -> datetime:
    """Let a process be killed that posts, waits and scans; return when that was."""
    many, home = story.many, story.home
    story.at("08T09:49")
    async with dying_bot(story) as move:
        hold = many.tracker.hold_scans()
        story.at("08T09:57")
        await move()
        await home.bob.type("/scan shop.example")
        await hold.waiting(1)
        await story.until(lambda found: any("/pending/" in key for key in found))
        await use_up(many["delta"])
        amber = many["amber"]
        await kept(amber, amber.bob, "/domains")
        await kept(amber, amber.slack.person("cy"), "/scan shop.amber.example")
        many.tracker.fail_next("503", times=500, on="list")
        for attempt, time in enumerate(("10:00", "10:01"), start=1):
            story.at(f"08T{time}")
            await move()
            await story.until_waiting(HOME, "10:00", attempt)
        many.tracker.faults.clear()
        many.slack.fail_next("chat.postMessage", kind="drop", delay_s=600)
        story.at("08T10:02")
        await move()
        await story.until_posting(HOME, "10:02")
    hold.release()
    return many.clock()


async def use_up(town: Town) -> None:
    """Let the service say that the hour's requests are used up."""
    town.tracker.retry_after_s = 3600
    town.tracker.fail_next("rate_limit", on="list")
    await town.bob.type("/domains")
    await town.bob.next_message(where=lambda message: "used up" in message.everything)
    town.tracker.retry_after_s = None


async def kept(town: Town, person: Person, line: str) -> Message:
    answer = await town.ask(person, line)
    assert "kept your command" in answer.everything
    return answer


@asynccontextmanager
async def dying_bot(story: Story) -> AsyncIterator[Callable[[], Any]]:
    """Run the bot in a process of its own; yield what tells it the time. It is killed."""
    many, home = story.many, story.home
    app = oauth(home, PUBLIC_URL=str(many.settings.public_url), BOT_SECRET_KEYS=RING)
    with (many.folder / "bot.log").open("ab") as log:
        bot = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.benchmarks.killed"),
            env=environment(home) | app | {"TICK_SECONDS": "1"},
            stdin=asyncio.subprocess.PIPE,
            stderr=log,
        )
        assert bot.stdin

        async def move() -> None:
            assert bot.stdin
            bot.stdin.write(f"{many.clock.ahead.total_seconds()}\n".encode())
            await bot.stdin.drain()

        try:
            await move()
            await until_ready(home)
            yield move
        finally:
            with contextlib.suppress(ProcessLookupError):
                bot.kill()
            await bot.wait()


def sealed_under_both(rows_found: Rows) -> bool:
    """Whether secrets are there under the key of the beginning and under the one of the end."""
    text = str(rows_found)
    return "v1.k0." in text and "v1.k1." in text


def ringed(many: Many, ring: str) -> None:
    """Let the bots of all towns begin with that ring from now on."""
    secret = SecretStr(ring)
    many.settings = many.settings.model_copy(update={"bot_secret_keys": secret})
    for town in many.towns.values():
        town.settings = many.settings
