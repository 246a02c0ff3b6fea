"""Lists of domains: what is read of them, and when adding them ends early."""

import asyncio
from dataclasses import replace

import pytest

from bot.dispatch.command_text import NotUnderstoodError
from bot.domains.adding import (
    KEPT_FOR,
    MAX_DOMAINS,
    MAX_UNKNOWN,
    AddOutcome,
    AddReport,
    DomainAdder,
    NewDomains,
    new_domains,
    parse_new_domains,
)
from bot.domains.service import Portfolio
from bot.process.workspace import WorkspaceId
from bot.store.kinds import forget_expired
from bot.tracker.hostnames import HostNameError
from bot.tracker.models import NewDomain, RejectedError, TimedOutError, UnavailableError
from tests.builders import KEY, a_domain
from tests.fakes import FakeClock, FakeLists
from tests.loops import loop_over
from tests.memory import MemoryDocuments

HERE = WorkspaceId("T1")


def read(text: str) -> NewDomains:
    return new_domains(text.splitlines(), a_new(""))


def a_new(host: str) -> NewDomain:
    return NewDomain(host=host, domain_type="owned", tags=("a",))


@loop_over(
    ("line", "hosts"),
    [
        ("Shop.Example.", ["shop.example"]),
        ("* https://shop.example/a,b;c?d=1", ["shop.example"]),
        ("12. shop.example", ["shop.example"]),
        ("a.example, b.example;\tc.example", ["a.example", "b.example", "c.example"]),
        ("<http://shop.example|shop.example>", ["shop.example"]),
        ("https://shop.example/x b.example", ["shop.example", "b.example"]),
        ("bücher.example", ["xn--bcher-kva.example"]),
        ("shop.example is ours", []),
        ("e.g. shops", []),
        ("# shops", []),
        ("10.0.0.1", []),
        ("mail@shop.example", []),
        (f"{KEY}.example", []),
    ],
)
def test_a_line_is_host_names_alone_or_a_note_as_a_whole(line: str, hosts: list[str]) -> None:
    new = read(f"{line}\nlast.example")

    assert new.hosts == [*hosts, "last.example"]
    assert len(new.notes) == (0 if hosts else 1)
    assert KEY not in str(new)


def test_what_comes_again_counts_once_and_empty_lines_count_nothing() -> None:
    new = read("shop.example\n\n  \nSHOP.example\nhttp://shop.example/x, b.example")

    assert (new.hosts, new.notes, new.repeated) == (["shop.example", "b.example"], (), 2)
    assert new.domains[1] == a_new("b.example")


def test_a_list_without_a_domain_and_one_with_too_many_are_refused() -> None:
    for text in ("", "\n", "localhost\nours"):
        with pytest.raises(HostNameError):
            read(text)
    many = "\n".join(f"a{number}.example" for number in range(MAX_DOMAINS + 1))
    with pytest.raises(NotUnderstoodError):
        read(many)
    assert len(read(many.rpartition("\n")[0]).hosts) == MAX_DOMAINS


def test_a_line_of_domains_says_the_labels_of_all_of_them() -> None:
    typed = 'a.example type:external b.example tag:eu folder:"Web shops" tag:prod tag:eu'

    new = parse_new_domains(typed, owned_type="owned")

    assert new.hosts == ["a.example", "b.example"]
    for each in new.domains:
        assert (each.domain_type, each.folder) == ("external", "Web shops")
        assert each.tags == ("eu", "prod")
    [own] = parse_new_domains("a.example", owned_type="owned").domains
    assert (own.domain_type, own.folder, own.tags) == ("owned", None, ())


class Service(FakeLists):
    """Lists what was added to it; `errors` are raised by host."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.errors: dict[str, Exception] = {}

    async def add(self, _workspace: WorkspaceId, new: NewDomain) -> None:
        self.sent.append(new.host)
        if error := self.errors.get(new.host):
            raise error
        self.domains += (a_domain(new.host),)


class Bot:
    """A list of eight domains, and the service that it is added to."""

    def __init__(self) -> None:
        self.clock, self.service, self.documents = FakeClock(), Service(), MemoryDocuments()
        portfolio = Portfolio(self.service.list_domains, clock=self.clock)
        self.adder = DomainAdder(self.service.add, portfolio, self.documents)
        self.hosts = [f"a{number}.example" for number in range(8)]
        self.report = AddReport(read("\n".join(self.hosts)))

    async def add(self) -> None:
        async def step() -> None:
            """Show no progress."""

        await self.adder.add_list(HERE, self.report, step)


async def test_a_list_costs_one_request_each_and_a_list_before_and_after() -> None:
    bot = Bot()

    await bot.add()

    assert bot.service.sent == bot.hosts == bot.report.hosts(AddOutcome.ADDED)
    assert len(bot.service.purposes) == 2


async def test_lists_that_are_added_at_the_same_time_write_each_domain_once() -> None:
    bot = Bot()
    other, new = AddReport(bot.report.new), bot.report.new.domains[0]

    async def step() -> None:
        """Show no progress."""

    await asyncio.gather(
        bot.add(), bot.adder.add_list(HERE, other, step), bot.adder.add(HERE, new)
    )

    assert sorted(bot.service.sent) == bot.hosts
    assert other.hosts(AddOutcome.ADDED) == bot.hosts


async def test_a_refused_domain_costs_no_list_and_the_last_list_settles_it() -> None:
    bot = Bot()
    bot.service.errors = dict.fromkeys(bot.hosts[:2], RejectedError(409, "no"))
    bot.service.errors["a1.example"] = RejectedError(409, "there already")

    async def step() -> None:
        if bot.service.sent[-1] == "a1.example":
            bot.service.domains += (a_domain("a1.example"),)

    await bot.adder.add_list(HERE, bot.report, step)

    assert bot.report.reasons["a0.example"] == "no"
    assert bot.report.hosts(AddOutcome.REFUSED) == ["a0.example"]
    assert bot.report.hosts(AddOutcome.KNOWN) == ["a1.example"]
    assert len(bot.service.purposes) == 2


async def test_several_lost_answers_end_a_list_and_nothing_is_sent_twice() -> None:
    bot = Bot()
    bot.service.errors = {
        host: TimedOutError("late", is_outcome_unknown=True) for host in bot.hosts[1:]
    }

    await bot.add()

    assert bot.service.sent == bot.hosts[: 1 + MAX_UNKNOWN]
    assert bot.report.hosts(AddOutcome.UNKNOWN) == bot.hosts[1 : 1 + MAX_UNKNOWN]
    assert bot.report.hosts(None) == bot.hosts[1 + MAX_UNKNOWN :]
    assert isinstance(bot.report.stopped_by, TimedOutError)


async def test_a_domain_added_without_an_answer_counts_as_added() -> None:
    bot = Bot()

    async def add(workspace: WorkspaceId, new: NewDomain) -> None:
        await bot.service.add(workspace, new)
        raise TimedOutError("late", is_outcome_unknown=True)

    bot.adder = replace(bot.adder, write=add)

    await bot.add()

    assert bot.report.hosts(AddOutcome.ADDED) == bot.service.sent == bot.hosts


async def test_a_domain_that_was_not_sent_was_not_tried() -> None:
    bot = Bot()
    bot.service.errors = {"a3.example": UnavailableError()}

    await bot.add()

    assert bot.report.hosts(AddOutcome.ADDED) == bot.hosts[:3]
    assert bot.report.hosts(None) == bot.hosts[3:]
    assert isinstance(bot.report.stopped_by, UnavailableError)


async def test_a_kept_list_is_the_same_again_and_is_deleted_after_a_day() -> None:
    bot = Bot()
    name = await bot.adder.keep(HERE, bot.report.new)

    assert await bot.adder.kept(HERE, name) == bot.report.new
    assert await forget_expired(bot.documents, bot.clock.now + KEPT_FOR) == 1
