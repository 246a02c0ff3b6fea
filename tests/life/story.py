"""What people and the world do to the bot, as a seed draws it."""

import asyncio
import random
import tempfile
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bot.digests.views.wording import MODE_NAMES
from bot.playground.slack import Person, View
from bot.playground.slack.block_contents import elements, label
from tests.life.checks import Checks, Step, Violation, left_over, open_descriptors
from tests.life.people import People, places_of
from tests.life.world import NAMES, World, running_world
from tests.truth import samples
from tests.virtual_time import clock
from tests.whole.digests import EVERY_DAY
from tests.whole.harness import SCOPES, Harness

STEPS_A_DAY = 14
TICK_S = 120.0  # ticks are most of what a quiet day costs
WAYS = ("http", "socket")
SETTLED_S, LONGEST_S, LOOK_S = 45.0, 20_000.0, 30.0
WAITED_S, FLAP_S, LOOKED_AFTER_S = 1200.0, 900.0, 1000.0
IN_MESSAGE = "Scan domains in message"
SLACK_CALLS = """
    response_url chat.postMessage chat.postEphemeral views.open users.info views.update
    conversations.open chat.update conversations.info *
"""
SLACK_FAULTS: Sequence[dict[str, Any]] = (
    {"error": "ratelimited", "retry_after_s": 2},
    {"error": "internal_error"},
    {"kind": "html"},
    {"kind": "drop"},
    {"kind": "drop", "after_acting": True},
    {"kind": "slow", "delay_s": 2.5},
)
SERVICE_FAULTS = """
    500 503 html_500 html_200 drop drop_after truncated cut_off rate_limit permissions
    invalid_key foreign_json ip
"""
# What people type, of domains HOST and ANOTHER, and of one that the service does not have.
LINES = """
    /domains | /domains shop | /domains tag:prod below:98 | /domains expires:30 | /domains help
    | /domains sort:name above:x | /domains a*b_~` | /domainkey | /domainkey help | /scan
    | /scan HOST | /scan https://HOST/x | /scan ANOTHER HOST | /scan tag:prod | /scan below:200
    | /scan shpo.NAME.example | /scan <@U1> &lt; | /adddomain | /adddomain NEW | /adddomain HOST
    | /adddomain no | /adddomain NEW tag:prod type:x | /adddomain NEW xNEW | /domaindigest
    | /domaindigest help | /domaindigest now
"""


class Story:
    """A life of the bot. Each method in `STEPS` is a step, which a seed draws."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self.world = world
        self.chance = chance
        self.people = People(chance, world.clock.seconds)
        self.checks = Checks(world, self.people, {})

    # How it begins and goes on

    async def settle(self, app: Harness) -> None:
        """Install the app, or install it again, and give the workspace a key and its domains."""
        page = await self.world.many.install(app.portfolio)
        assert page.status == 200, page.text
        await app.slack.invite_bot("general")
        await app.slack.invite_bot("secret")
        key = app.account.create_key("first", SCOPES, days=365)
        self.people.keys.setdefault(app.portfolio, []).append(key)
        await self.set_key(app, key)

    def furnish(self, app: Harness) -> None:
        """Put domains into the service, two of which are not well whatever their score says."""
        name, account = app.portfolio, app.account
        account.add(
            f"shop.{name}.example", health=41, folder=f"{name}-folder", tags=(name, "prod")
        )
        account.add(f"www.{name}.example", health=97, tags=("prod",))
        account.add(f"flap.{name}.example", health=80)
        account.add(f"new.{name}.example", health=None)
        unwell = [each for each in samples() if each.expected["may_say_no_issues"] is False]
        for number, sample in enumerate(self.chance.sample(unwell, 2)):
            host = f"sick{number}.{name}.example"
            account.add(host, health=95, tags=("prod",))
            account.scan_results[host] = {"domainId": host, **sample.sections}
            self.checks.samples[host] = sample

    async def flap(self) -> None:
        """Let a rating change between two looks of an alert, and back before the next."""
        while True:
            await asyncio.sleep(FLAP_S)
            for app in self.world.apps:
                for each in app.account.domains.values():
                    if each.domain.startswith("flap."):
                        each.health = 79 if each.health == 80 else 80

    async def take(self, name: str) -> None:
        """Take a step, wait until the bot is quiet again, and check everything."""
        step = Step(name, self.world.clock())
        self.checks.has_faults = False
        act: Callable[[], Awaitable[object]] = getattr(self, name)
        async with asyncio.timeout(LONGEST_S):
            await act()
        await asyncio.sleep(SETTLED_S)
        waited_s = 0.0
        while waited_s < WAITED_S and self.is_busy():
            waited_s += LOOK_S
            await asyncio.sleep(LOOK_S)
        self.world.slack.app.faults.clear()
        self.world.tracker.faults.clear()
        self.world.late.late_s = 0.0
        self.checks.after(step)

    def is_busy(self) -> bool:
        open_ = [each for each in self.people.asked if not (each.excuse or each.failed)]
        return any(self.checks.waiting()) or not all(map(self.checks.answers, open_))

    # Who, where, what

    @property
    def app(self) -> Harness:
        there = [each for each in self.world.apps if each.slack.is_installed]
        return self.chance.choice(there)

    def line(self, app: Harness) -> str:
        name, chance = app.portfolio, self.chance
        hosts = [each.domain for each in app.account.domains.values()] or ["none.example"]
        given = {"HOST": chance.choice(hosts), "ANOTHER": hosts[0], "NAME": name}
        given["NEW"] = f"n{chance.randrange(60)}.{name}.example"
        line = chance.choice(LINES.split("|")).strip()
        for word, meant in given.items():
            line = line.replace(word, meant)
        return line

    async def set_key(self, app: Harness, key: str) -> None:
        ada = app.slack.person("ada")
        await self.people.type(app, ada, "/domainkey", "general")
        await asyncio.sleep(10)
        for message in reversed(ada.messages()):
            for found in elements(message.blocks):
                if found.element["type"] == "button" and label(found.element) in {
                    "Set key",
                    "Replace key",
                }:
                    await self.people.press(app, ada, message, found)
                    await asyncio.sleep(5)
                    if ada.form and "API key" in ada.form.labels.values():
                        await self.people.submit(app, ada, ada.form, {"API key": key})
                    return

    # What people do

    async def command(self) -> None:
        app = self.app
        person = self.people.anybody(app)
        await self.people.type(
            app, person, self.line(app), self.chance.choice(["general", "secret", "shared"])
        )

    async def press(self) -> None:
        """Somebody goes on for a while with what they see."""
        app = self.app
        person = self.people.anybody(app)
        for _ in range(self.chance.randrange(1, 5)):
            await self.use(app, person)
            await asyncio.sleep(self.chance.choice([0.5, 3, 20]))

    async def use(self, app: Harness, person: Person) -> None:
        request = await self.people.use(app, person)
        if request and "Send now" in request.what:
            self.checks.sends.append((app.portfolio, self.world.clock()))

    async def press_twice(self) -> None:
        app = self.app
        person = app.slack.person(self.chance.choice(["ada", "bob", "cy"]))
        form, said = person.form, person.messages("dm")[-3:] + person.messages("shared")[-3:]
        buttons = [
            (where, found)
            for where in ([form] if form else said)
            for found in elements(where.blocks)
            if found.element["type"] == "button"
        ]
        if not buttons:
            return
        where, found = self.chance.choice(buttons)
        if label(found.element) == "Send now":
            self.checks.sends += [(app.portfolio, self.world.clock())] * 2
        await asyncio.gather(*(self.people.press(app, person, where, found) for _ in range(2)))

    async def crowd(self) -> None:
        """Several people ask at the same time."""
        app, shared = self.app, "shared"
        await asyncio.gather(
            *(
                self.people.type(app, self.people.anybody(app), self.line(app), shared)
                for _ in range(4)
            )
        )

    async def home(self) -> None:
        app = self.app
        person = self.people.anybody(app)
        if not person.member.is_stranger:
            await self.people.ask(app, person, "opens Home", person.by_id.open_home())

    async def shortcut(self) -> None:
        app = self.app
        person = self.people.anybody(app)
        if person.member.is_stranger or person.member.is_restricted:
            return
        name = self.chance.choice(["Scan a domain", "Add a domain", IN_MESSAGE])
        if name != IN_MESSAGE:
            act = person.shortcut(name)
        else:
            words = " ".join(
                self.chance.sample([*app.account.domains.values()], 1)[0].domain for _ in range(2)
            )
            act = person.message_shortcut(person.say(words), name)
        await self.people.ask(app, person, f"uses {name!r}", act)
        await asyncio.sleep(10)
        if person.form:
            await self.people.submit(app, person, person.form)

    async def digest(self) -> None:
        """Bob makes a digest, an alert more rarely."""
        app = self.app
        person = app.slack.person(self.chance.choice(["bob", "bob", "ada", "gus"]))
        channel = self.chance.choice(["general", "secret"])
        await self.people.type(app, person, "/domaindigest", channel)
        await asyncio.sleep(8)
        form = person.form
        if not form or not await self.press_called(app, person, form, "New"):
            return
        due = self.world.clock() + timedelta(minutes=self.chance.randrange(2, 400))
        fields: dict[str, Any] = {"Days": EVERY_DAY, "Time": f"{due:%H:%M}", "Time zone": "UTC"}
        if self.chance.random() < 0.4:
            fields["Post"] = self.chance.choice(["Alert, every 15 minutes", *MODE_NAMES.values()])
        if person.form and "Days" in person.form.labels.values():
            await self.people.submit(app, person, person.form, fields)

    async def digest_line(self) -> None:
        """Somebody makes a digest or an alert in one line, or acts on one by its name."""
        app, chance = self.app, self.chance
        person = app.slack.person(chance.choice(["bob", "bob", "ada", "cy", "gus"]))
        due = self.world.clock() + timedelta(minutes=chance.randrange(2, 400))
        name = chance.choice(["Prod", "Night"])
        days = chance.choice(["daily", "weekdays", "mon wed sun", "monthly last fri", "dayly"])
        rest = chance.choice(["", "tag:prod", "below:90 changed", "worse me", "25:00"])
        act = chance.choice(["pause", "resume", "send", "delete"])
        line = chance.choice(
            [
                *[f'{days} {due:%H:%M} UTC {rest} name:"{name}"'] * 3,
                *(f'every 15 minutes UTC name:"{name}"', f"{act} {name}"),
            ]
        )
        if line.startswith("send"):
            self.checks.sends.append((app.portfolio, self.world.clock()))
        channel = chance.choice(["general", "secret"])
        await self.people.type(app, person, f"/domaindigest {line}", channel)

    async def alert(self) -> None:
        """People press what an alert's card offers; where none stands, domains get worse first.

        They do while one stands, too.
        """
        app = self.app
        there = self.checks.cards(app)
        if not there:
            await self.make_alert(app)
            await asyncio.sleep(LOOKED_AFTER_S)
        if not there or self.chance.random() < 0.5:
            for each in app.account.domains.values():
                if each.domain.startswith(("shop.", "www.")):
                    each.health = self.chance.randrange(60)
            await asyncio.sleep(LOOKED_AFTER_S)
        for _ in range(self.chance.randrange(1, 4)):
            person = app.slack.person(self.chance.choice(["ada", "bob", "cy", "gus"]))
            channels = {place.id for place in places_of(app, person)}
            theirs = [each for each in self.checks.cards(app) if each.channel_id in channels]
            for card in theirs[-1:]:
                offered = [
                    each
                    for each in elements(card.blocks)
                    if each.element["action_id"].startswith("alert.")
                    or label(each.element) in {"Scan", "Scan all"}
                ]
                if offered:
                    found = self.chance.choice(offered)
                    await self.people.press(app, person, card.snapshot(), found)
            await asyncio.sleep(self.chance.choice([1, 20, 1000, 4000]))

    async def make_alert(self, app: Harness) -> None:
        """Bob makes an alert, in a line or in the form: that mentions Cy if no one is on it."""
        in_form = self.chance.random() < 0.5
        line = "/domaindigest" if in_form else "/domaindigest every 15 minutes UTC"
        await self.people.type(app, app.bob, line, "general")
        await asyncio.sleep(8)
        for name in ("New", "More options"):
            if in_form and app.bob.form:
                await self.press_called(app, app.bob, app.bob.form, name)
        chosen = {"Post": "Alert, every 15 minutes", "If no one is on it": "After 15 minutes"}
        for field, answer in chosen.items():
            if (form := app.bob.form) and field in form.labels.values():
                act = app.bob.choose(form, field, answer)
                await self.people.ask(app, app.bob, f"chooses {answer}", act)
                await asyncio.sleep(8)
        if (form := app.bob.form) and "Then mention" in form.labels.values():
            fields = {"Channel": "general", "Time zone": "UTC", "Then mention": ["cy"]}
            await self.people.submit(app, app.bob, form, fields)

    async def manage(self) -> None:
        """Bob pauses, resumes, sends or deletes a digest."""
        app = self.app
        bob, channel = app.bob, self.chance.choice(["general", "secret"])
        await self.people.type(app, bob, "/domaindigest", channel)
        await asyncio.sleep(8)
        what = self.chance.choice(["Pause", "Pause", "Resume", "Send now", "Delete"])
        opened = bob.form
        if opened is None or not await self.press_called(app, bob, opened, what):
            return
        if (question := bob.form) is not None and question.payload.get("submit"):
            await self.people.submit(app, bob, question, {})

    async def press_called(self, app: Harness, person: Person, form: View, name: str) -> bool:
        """Press a button of that label, if there is one; say whether."""
        for found in elements(form.blocks):
            if found.element["type"] == "button" and label(found.element) == name:
                if name == "Send now":
                    self.checks.sends.append((app.portfolio, self.world.clock()))
                await self.people.press(app, person, form, found)
                await asyncio.sleep(8)
                return True
        return False

    async def form_sent_twice(self) -> None:
        """Slack sends a form or an event again, as it has not seen the ack."""
        await self.press()
        await asyncio.sleep(self.chance.choice([0.1, 1.2, 5]))
        sent = [each for each in self.world.slack.envelopes if each.status]
        sent = [
            each
            for each in sent
            if each.kind == "events_api" or each.payload.get("type") == "view_submission"
        ]
        if sent and not self.world.was_down(sent[-1].at):
            await self.world.slack.outbox.deliver(sent[-1].kind, sent[-1].payload)

    async def key(self) -> None:
        app = self.app
        await self.set_key(app, self.people.some_key(app))

    async def refused_to_all(self) -> None:
        """The service refuses the key while several people ask: one notice is on its way."""
        app = self.app
        for key in app.account.keys:
            if self.chance.random() < 0.5:
                app.account.revoke_key(key)
        self.fault(slack=("conversations.open", {"kind": "slow", "delay_s": 1.0}))
        await self.crowd()
        if self.chance.random() < 0.8:
            self.people.keys[app.portfolio].append(app.account.create_key("new", SCOPES, days=90))
            await self.set_key(app, self.people.keys[app.portfolio][-1])

    # What the world does

    def fault(self, slack: tuple[str, dict[str, Any]] | None = None, service: str = "") -> None:
        self.checks.has_faults = True
        self.checks.disturbances += 1
        if slack:
            self.world.slack.fail_next(slack[0], **slack[1])
        if service:
            self.world.tracker.fail_next(service, times=self.chance.choice([1, 1, 2]))

    async def bad_slack(self) -> None:
        method, fault = self.chance.choice(SLACK_CALLS.split()), self.chance.choice(SLACK_FAULTS)
        self.fault(slack=(method, fault))
        await self.chance.choice([self.command, self.press, self.home, self.shortcut])()
        if method in {"views.open", "*"} and fault.get("after_acting"):
            # The bot cannot know the form that Slack has opened without an answer.
            await asyncio.sleep(SETTLED_S)
            self.checks.excused |= {key for key, _ in self.checks.waiting() if "view" in key}

    async def bad_service(self) -> None:
        self.fault(service=self.chance.choice(SERVICE_FAULTS.split()))
        await self.chance.choice([self.command, self.press, self.home, self.shortcut])()

    async def bad_slot(self) -> None:
        """Something fails when a digest is due within the hour."""
        self.fault(
            slack=("chat.postMessage", self.chance.choice(SLACK_FAULTS)),
            service=self.chance.choice(SERVICE_FAULTS.split()),
        )
        await asyncio.sleep(900)

    async def late_acks(self) -> None:
        self.world.late.late_s = self.chance.choice([0.2, 1.0, 1.9])
        await self.chance.choice([self.press, self.key, self.shortcut])()

    async def scores(self) -> None:
        for each in self.app.account.domains.values():
            if self.chance.random() < 0.4 and not each.domain.startswith(("flap.", "sick")):
                each.health = self.chance.choice([None, 0, 41, 64, 79, 80, 97, 100, 88.5])
                each.dns_moves += self.chance.choice([0, 0, 1])
                each.registrar_moves += self.chance.choice([0, 0, 0, 1])

    async def domain_goes(self) -> None:
        app = self.app
        for domain_id, each in [*app.account.domains.items()]:
            if each.domain.startswith(("n", "x")) and self.chance.random() < 0.4:
                del app.account.domains[domain_id]

    async def channel(self) -> None:
        """A channel is archived, closed to apps, or left by the bot; later it is back."""
        slack = self.app.slack
        match self.chance.randrange(3):
            case 0:
                slack.restrict("secret")
            case 1:
                slack.remove_bot("secret")
            case _:
                slack.archive("secret")
        await asyncio.sleep(self.chance.choice([600, 7200]))
        slack.restrict("secret", None)
        slack.unarchive("secret")
        await slack.invite_bot("secret")

    async def restart(self) -> None:
        """The bot stops, or is killed, in the middle of things; it is away for a while."""
        self.checks.disturbances += 1
        self.world.tracker.latency_s = self.world.tracker.scan_latency_s = self.chance.choice(
            [0, 1, 30]
        )
        busy = [asyncio.create_task(act()) for act in (self.crowd, self.press, self.key)]
        await asyncio.sleep(self.chance.random() * self.chance.choice([0.2, 5]))
        if self.chance.random() < 0.5:
            await self.world.kill_bot()
            self.checks.excused |= {key for key, _ in self.checks.waiting()}
        else:
            await self.world.stop_bot()
        self.world.tracker.latency_s = self.world.tracker.scan_latency_s = 0
        for act in busy:
            act.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        away = self.chance.choice(
            [timedelta(), timedelta(), timedelta(hours=3), timedelta(days=3)]
        )
        self.world.clock.ahead += away
        await self.world.start_bot()
        await asyncio.sleep(120)

    async def uninstall(self) -> None:
        app = self.world.many[NAMES[1]]
        await app.slack.uninstall(
            order=self.chance.choice(
                [
                    ("app_uninstalled", "tokens_revoked"),
                    ("tokens_revoked", "app_uninstalled"),
                    ("app_uninstalled",),
                ]
            )
        )
        await asyncio.sleep(300)
        self.checks.is_forgotten(app)
        self.people.asked.clear()
        await self.settle(app)

    async def reserve(self) -> None:
        """Only the twentieth part of the hour is left: it is for digests."""
        app, tracker = self.world.apps[0], self.world.tracker
        if self.world.clock().minute > 50 or self.world.clock().hour < 7:
            return
        host = f"www.{app.portfolio}.example"
        await self.people.type(app, app.ada, f"/scan {host}", "general")
        await asyncio.sleep(10)
        used = max(
            tracker.hourly_limit - each.remaining(self.world.clock(), tracker.hourly_limit)
            for each in app.account.keys
        )
        usual, tracker.hourly_limit = tracker.hourly_limit, used + 30
        try:
            await self.people.type(app, app.ada, f"/scan {host}", "general")
            await asyncio.sleep(5)
            before = len(tracker.requests)
            for person in ("bob", "ada", "cy"):
                await self.people.type(app, app.slack.person(person), f"/scan {host}", "general")
            await asyncio.sleep(5)
            sent = [
                each
                for each in tracker.requests[before:]
                if each.method == "POST" and each.account == app.portfolio
            ]
            if sent:
                raise Violation(f"reserve: people have spent {len(sent)} of it")
        finally:
            tracker.hourly_limit = usual
        await asyncio.sleep(3600)


STEPS: dict[str, float] = {
    "command": 12, "press": 14, "press_twice": 5, "crowd": 3, "home": 4, "shortcut": 4,
    "digest": 2, "digest_line": 3, "alert": 4, "manage": 4, "form_sent_twice": 4, "key": 2,
    "refused_to_all": 1, "bad_slack": 7, "bad_service": 7, "bad_slot": 3, "late_acks": 4,
    "scores": 5, "domain_goes": 1, "channel": 1, "restart": 4, "uninstall": 0.5, "reserve": 0.5,
}  # fmt: skip


@dataclass
class Told:
    """Where a life has come to, for those who want to see it again."""

    number: int = 0
    step: str = "the beginning"
    day: float = 0.0


def lived(
    seed: int,
    days: float,
    steps: Mapping[str, float] = STEPS,
    *,
    steps_a_day: float = STEPS_A_DAY,
    tick_s: float = TICK_S,
) -> str:
    """Live for so many days; return what went wrong and where, empty for nothing."""
    told, before = Told(), clock.current()
    clock.use(clock.VirtualClock(seed, "life", longest_s=(2 * days + 1) * 86_400))
    random.seed(seed)  # what libraries draw, as how long they wait before they try again
    try:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(_live(Path(folder), told, seed, days, steps, steps_a_day, tick_s))
    except Exception as error:  # noqa: BLE001  # whatever it is, its place in the life is told
        where = f"day {told.day:.2f}, step {told.number} ({told.step})"
        why = "" if isinstance(error, Violation) else traceback.format_exc()
        return f"{str(error) or type(error).__name__}\n  seed {seed}, {where}\n{why}"
    finally:
        clock.use(before)
    return ""


async def _live(
    folder: Path,
    told: Told,
    seed: int,
    days: float,
    steps: Mapping[str, float],
    steps_a_day: float,
    tick_s: float,
) -> None:
    descriptors = open_descriptors()
    chance = random.Random(seed)
    loop = asyncio.get_running_loop()
    async with running_world(folder, WAYS[seed % 2], tick_s) as world:
        story = Story(world, chance)
        flapping = asyncio.create_task(story.flap())
        began = loop.time()
        for app in world.apps:
            story.furnish(app)
            await story.settle(app)
        while (day := (loop.time() - began) / 86_400) < days:
            told.day, told.number = day, told.number + 1
            [told.step] = chance.choices([*steps], [*steps.values()])
            await story.take(told.step)
            await asyncio.sleep(chance.expovariate(steps_a_day / 86_400))
        flapping.cancel()
        told.step = "the end"
    await asyncio.sleep(60)  # aiohttp's heartbeats end by themselves
    left_over(descriptors)
