"""What commands cost: beside a bare Bolt app, while Slack is slow, and when too many come."""

import asyncio
from dataclasses import dataclass, field
from statistics import median

from bot.views.blocks import RUN_BELOW
from tests.benchmarks.figures import Row
from tests.benchmarks.measured import Measured, bare, bot
from tests.benchmarks.population import Population, service
from tests.benchmarks.quick_slack import QuickSlack, quick_slack, read_head

ONE_BY_ONE, TURNS, WAITING, PEOPLE = 200, range(5), 1_600, 16
PRESSES, SCANNED, SCAN_S, LIST_S, AT_ONCE = 1_000, 10, 10.0, 0.05, 16
SCAN = f"{RUN_BELOW}.0.scan"  # as a button of the list
FOR_S, ANSWERED_WITHIN_S, QUIET_S = 2.0, 60.0, 3.0


async def beside_bare_bolt() -> list[Row]:
    """Return what both do, the bot with a list of 50 domains that is cached."""
    async with quick_slack() as slack, bare(slack) as theirs, bot(slack) as ours:
        started = ours.started_s, theirs.started_s
        memory = ours.memory_mb(), theirs.memory_mb()
        (bare_ack_s, _), (_, bare_cpu_s), (ack_s, cpu_s), (_, help_cpu_s) = await in_turns(
            (theirs, "/acked"), (theirs, "/domains"), (ours, "/domains"), (ours, "/domains help")
        )
        bare_rate = await theirs.per_second("/domains")
        rates = await ours.per_second("/domains"), bare_rate
    cpu = "processor time of one `/domains{}`, ms"
    return [
        Row("ack of one `/domains`, median, ms", ack_s * 1e3, bare_ack_s * 1e3, 0.12),
        Row(cpu.format(""), cpu_s * 1e3, bare_cpu_s * 1e3, 1.5),
        Row(cpu.format(" help"), help_cpu_s * 1e3, bare_cpu_s * 1e3, 0.9),
        Row("`/domains` answered per second, 64 connections", *rates, 0.7, more=True),
        Row("memory when idle, MB", *memory, 1.6),
        Row("start until ready, s", *started, 2.0),
    ]


async def in_turns(*asked: tuple[Measured, str]) -> list[list[float]]:
    """Return for each line its median seconds until the ack, and the processor seconds of one.

    All take turns: the speed of a machine that is shared changes within seconds.
    """
    found = [[await each.one_by_one(line, ONE_BY_ONE) for each, line in asked] for _ in TURNS]
    return [
        [median(turns) for turns in zip(*of_line, strict=True)]
        for of_line in zip(*found, strict=True)
    ]


async def waiting_answers() -> list[Row]:
    """Return what 1,600 commands cost whose answers a slow Slack takes 3 s each to take."""
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one("/domains", 1)
        before_mb, answers, acks_s = ours.memory_mb(), slack.calls["respond"], list[float]()
        slack.delay_s = 3.0
        awaited: list[asyncio.Future[None]] = []

        async def person() -> None:
            async with ours.connection(awaited) as ask:
                acks_s.extend([await ask("/domains") for _ in range(WAITING // PEOPLE)])

        async with asyncio.timeout(180):
            await asyncio.gather(*(person() for _ in range(PEOPLE)))
            each_kb = (ours.memory_mb() - before_mb) * 1024 / WAITING
            await asyncio.gather(*awaited)
        by_url = slack.calls["respond"] - answers
    name = "memory of each of 1,600 answers that wait for a slow Slack, kB"
    return [
        Row(name, each_kb, None, 15.0),
        Row("of them answered where they were asked", by_url, WAITING, 1.0, more=True),
        Row("the slowest ack among them, s", max(acks_s), None, 3.0),
    ]


@dataclass
class Rush:
    """Commands that come at a steady pace, whether or not those before are answered."""

    ours: Measured
    acks_s: list[float] = field(default_factory=list)
    failed: int = 0
    lost: int = 0
    rate: float = 0.0  # at which they really came
    _idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = field(default_factory=list)

    async def come(self, per_second: float) -> None:
        """Send for two seconds, and wait for what is answered."""
        slack, loop = self.ours.slack, asyncio.get_running_loop()
        commands = [slack.command("/domains") for _ in range(int(per_second * FOR_S))]
        began, asked = loop.time(), []
        for place, (sent, answered) in enumerate(commands):
            due = began + place / per_second
            if (wait_s := due - loop.time()) > 0:
                await asyncio.sleep(wait_s)
            asked.append(asyncio.create_task(self._ask(sent, answered)))
            await asyncio.sleep(0)
        self.rate = len(commands) / (loop.time() - began)
        await asyncio.gather(*asked)
        left = {answered for _, answered in commands if not answered.done()}
        if left:
            _, late = await asyncio.wait(left, timeout=ANSWERED_WITHIN_S)
            self.lost = len(late)
        for _, writer in self._idle:
            writer.close()

    async def _ask(self, sent: bytes, answered: "asyncio.Future[None]") -> None:
        began = asyncio.get_running_loop().time()
        try:
            line = self._idle.pop() if self._idle else None
            reader, writer = line or await asyncio.open_connection("127.0.0.1", self.ours.port)
            writer.write(sent)
            head = await read_head(reader)
        except OSError:
            head = b""
        if b" 200 " not in head.partition(b"\r\n")[0]:
            self.failed += 1
            answered.cancel()
            return
        self.acks_s.append(asyncio.get_running_loop().time() - began)
        self._idle.append((reader, writer))
        # An empty ack says nothing: the answer follows.
        if b"content-length: 0" not in head.lower():
            answered.cancel()


async def overload() -> list[Row]:
    """Return the acks at half of the load that saturates the bot, and at five times that load."""
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one("/domains", 1)
        most = await ours.per_second("/domains")
        calm, rush = Rush(ours), Rush(ours)
        await calm.come(most / 2)
        await rush.come(most * 5)
    calm.acks_s.sort()
    p99_s = calm.acks_s[int(len(calm.acks_s) * 0.99)]
    slowest = f"slowest ack at {rush.rate / most:.1f} times that load, s"
    return [
        Row("ack at half of the load that saturates, 99 of 100, ms", p99_s * 1e3),
        Row(slowest, max(rush.acks_s), None, 3.0),
        Row("of these commands never answered", rush.failed + rush.lost, None, 0),
    ]


async def presses() -> list[Row]:
    """Return what 1,000 presses of `Scan` on ten domains ask of the service."""
    async with service(SCANNED) as (tracker, key), quick_slack() as slack:
        tracker.latency_s, tracker.scan_latency_s = LIST_S, SCAN_S
        async with bot(slack, Population(key=key), DOMAIN_TRACKER_URL=tracker.url) as ours:
            hosts = [each.domain for each in tracker.account("bench").domains.values()]
            pressed = [slack.press(SCAN, f"/scan {hosts[n % SCANNED]}") for n in range(PRESSES)]
            awaited = [answered for _, answered in pressed]

            async def person(sent: list[bytes]) -> None:
                line = await asyncio.open_connection("127.0.0.1", ours.port)
                for each in sent:
                    line[1].write(each)
                    await read_head(line[0])
                line[1].close()

            sent = [each for each, _ in pressed]
            await asyncio.gather(*(person(sent[n::AT_ONCE]) for n in range(AT_ONCE)))
            async with asyncio.timeout(ANSWERED_WITHIN_S):
                await asyncio.gather(*awaited)
                await _until_quiet(slack)
        asked = [each.path.rpartition("/")[2] for each in tracker.requests]
    lists = sum(each == "domain-tracker" for each in asked)
    name = f"{PRESSES:,} presses of `Scan` on {SCANNED} domains: requests for "
    return [
        Row(f"{name}scans", len(asked) - lists, SCANNED, 1.0),
        Row(f"{name}the list", lists, 1, 1.0),
    ]


async def _until_quiet(slack: QuickSlack) -> None:
    """Wait until no answer has come for some seconds."""
    while True:
        before = slack.calls["respond"]
        await asyncio.sleep(QUIET_S)
        if slack.calls["respond"] == before:
            return
