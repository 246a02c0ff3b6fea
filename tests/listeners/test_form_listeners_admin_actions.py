"""Every action of admins and managers: allowed, refused, from a stale form, and pressed twice."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.access.permissions import DEFAULT_AUDIENCES
from bot.access.repository import Act
from bot.access.views import (
    AUDIENCES_FORM,
    MANAGERS_FORM,
    audiences_form,
    managers_form,
)
from bot.blocks.builders import CANCEL
from bot.blocks.message import Block
from bot.domainkey.form_views import (
    DELETED_IT,
    KEY_FORM,
    NEXT_STEP,
    UNUSED,
    USE_KEY,
    KeyFormValues,
    key_form,
)
from bot.domainkey.views import (
    CHOOSE_AUDIENCES,
    NAME_MANAGERS,
    REMOVE_KEY,
    ROLL_BACK,
    SHOW_HISTORY,
    TURN_NIGHTS,
)
from bot.keys.views import CHECK_KEY, SET_KEY
from bot.playground.slack import Message, Person, View
from tests.keys.test_repository import a_draft
from tests.listeners.running import NEW, PRESS, AdminBot
from tests.loops import loop_over

Given = Callable[[AdminBot], Awaitable[str]]
Drawn = Callable[[AdminBot], Awaitable[Block]]


async def nothing(_bot: AdminBot) -> str:
    return ""


async def mark_in_use(bot: AdminBot) -> str:
    pair = await bot.pair()
    assert pair is not None
    return pair.record.mark


async def mark_before(bot: AdminBot) -> str:
    earlier = await bot.earlier()
    assert earlier is not None
    return earlier.mark


async def a_held_key(bot: AdminBot) -> str:
    for person in ("ada", "bob"):
        await bot.keys.hold(bot.workspace, a_draft(NEW), bot.slack.person(person).id)
    return ""


async def a_key_form(bot: AdminBot) -> Block:
    return key_form(bot.metadata(), KeyFormValues())


async def a_managers_form(bot: AdminBot) -> Block:
    return managers_form(bot.metadata(), await bot.permissions.managers(bot.workspace))


async def an_audiences_form(bot: AdminBot) -> Block:
    return audiences_form(bot.metadata(), DEFAULT_AUDIENCES)


@dataclass(frozen=True, kw_only=True)
class Action:
    """What somebody can press or send, and how one sees that it was done.

    `act` stands in the history then, `words` before the person. `draw` makes the form that is
    sent with `fields`; without it a button is pressed, in a form with `in_form`.
    """

    name: str
    value: Given = nothing
    in_form: bool = False
    note: str | None = None
    draw: Drawn | None = None
    fields: dict[str, Any] = field(default_factory=dict)
    act: Act | None = None
    words: str = ""
    is_for_admins: bool = False


ACTIONS = [
    Action(name=SET_KEY, words="Check and save"),
    Action(name=KEY_FORM, draw=a_key_form, fields={"API key": NEW}, act=Act.KEY_REPLACED),
    Action(name=USE_KEY, value=a_held_key, in_form=True, act=Act.KEY_REPLACED),
    Action(name=CHECK_KEY, words="works. It sees"),
    Action(name=ROLL_BACK, value=mark_before, act=Act.KEY_ROLLED_BACK),
    Action(name=REMOVE_KEY, value=mark_in_use, act=Act.KEY_REMOVED),
    Action(name=NEXT_STEP, value=mark_before, in_form=True, words="Step 2 of 3"),
    Action(name=UNUSED, value=mark_before, in_form=True, words="Step 3 of 3"),
    Action(name=DELETED_IT, value=mark_before, in_form=True, act=Act.EARLIER_KEY_FORGOTTEN),
    Action(name=SHOW_HISTORY, words="actions are kept"),
    Action(name=NAME_MANAGERS, words="appoint others", is_for_admins=True),
    Action(
        name=MANAGERS_FORM,
        draw=a_managers_form,
        fields={"Managers": ["cy"]},
        act=Act.MANAGERS_CHANGED,
        is_for_admins=True,
    ),
    Action(name=CHOOSE_AUDIENCES, words="Who may add domains", is_for_admins=True),
    Action(
        name=AUDIENCES_FORM,
        draw=an_audiences_form,
        fields={"Who may scan domains": "Admins, owners, and managers"},
        act=Act.AUDIENCES_CHANGED,
        is_for_admins=True,
    ),
    Action(name=TURN_NIGHTS, act=Act.NIGHTLY_SCANS_OFF, is_for_admins=True),
]
FOR_MANAGERS = [action for action in ACTIONS if not action.is_for_admins]

every_action = pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
every_action_of_managers = pytest.mark.parametrize(
    "action", FOR_MANAGERS, ids=lambda action: action.name
)
# That rights are asked for when something is pressed or sent is tried with every action. How they
# are found out is the same for all: one button and one form say as much as all.
a_press_and_a_form = pytest.mark.parametrize(
    "action",
    [action for action in ACTIONS if action.name in {REMOVE_KEY, KEY_FORM}],
    ids=lambda action: action.name,
)


@pytest.fixture
async def bot(admin_bot: AdminBot) -> AdminBot:
    return admin_bot


@dataclass
class Press:
    """Somebody in front of the button or form, before they use it."""

    bot: AdminBot
    person: Person
    action: Action
    place: View | Message

    async def use(self, times: int = 1) -> str:
        """Press or send it, so many times at once; return what is then before the person."""
        await self.bot.do(*(self._once() for _ in range(times)))
        return self.bot.seen(self.person)

    async def _once(self) -> None:
        if self.action.draw:
            assert isinstance(self.place, View)
            delivery = await self.person.submit(self.place, self.action.fields)
            assert not delivery.errors, delivery.errors
        else:
            await self.person.press(self.place, PRESS)


async def press_of(bot: AdminBot, action: Action, name: str = "ada") -> Press:
    person = bot.slack.person(name)
    if action.draw:
        place: View | Message = await bot.open(person, await action.draw(bot))
    else:
        value = await action.value(bot)
        if action.in_form:
            place = await bot.open_button(person, action.name, value, action.note)
        else:
            place = bot.button(person, action.name, value)
    return Press(bot, person, action, place)


async def assert_done(bot: AdminBot, action: Action, seen: str) -> None:
    assert action.words in seen
    if action.act:
        assert await bot.acts() == [action.act]


async def assert_refused(bot: AdminBot, action: Action, before: list[object], seen: str) -> None:
    assert await bot.stored() == before
    assert bot.tracker.asked == []
    assert not action.words or action.words not in seen
    assert "Only admins" in seen


# Allowed


@every_action
async def test_an_admin_may(bot: AdminBot, action: Action) -> None:
    seen = await (await press_of(bot, action)).use()

    await assert_done(bot, action, seen)


@every_action_of_managers
async def test_a_named_manager_may(bot: AdminBot, action: Action) -> None:
    await bot.name("bob")

    seen = await (await press_of(bot, action, "bob")).use()

    await assert_done(bot, action, seen)


# Refused


@every_action
async def test_a_member_reads_the_names_of_managers(bot: AdminBot, action: Action) -> None:
    await bot.name("bob")
    place = await press_of(bot, action, "cy")
    before = await bot.stored()

    seen = await place.use()

    await assert_refused(bot, action, before, seen)
    if not action.is_for_admins:
        assert f"<@{bot.slack.person('bob').id}>" in seen


@pytest.mark.parametrize("action", [a for a in ACTIONS if a.is_for_admins], ids=lambda a: a.name)
async def test_a_manager_is_refused_what_is_for_admins(bot: AdminBot, action: Action) -> None:
    await bot.name("bob")
    before = await bot.stored()

    seen = await (await press_of(bot, action, "bob")).use()

    await assert_refused(bot, action, before, seen)


@pytest.mark.parametrize("flag", ["is_restricted", "is_stranger", "is_bot"])
@loop_over("action", ACTIONS, ids=lambda action: action.name)
async def test_guests_and_bots_never_may(bot: AdminBot, action: Action, flag: str) -> None:
    await bot.name("bob")
    place = await press_of(bot, action, "bob")
    setattr(place.person.member, flag, True)
    before = await bot.stored()

    await place.use()

    assert await bot.stored() == before
    assert bot.tracker.asked == []
    setattr(place.person.member, flag, False)  # the next action is put before a member again


async def test_the_history_names_only_the_managers_that_are_new(bot: AdminBot) -> None:
    await bot.name("bob")
    form = next(each for each in ACTIONS if each.name == MANAGERS_FORM)

    await (await press_of(bot, replace(form, fields={"Managers": ["bob", "cy"]}))).use()

    [entry, *_] = await bot.audit.entries(bot.workspace)
    assert (entry.added, entry.removed) == ((bot.slack.person("cy").id,), ())


# From a stale form


@a_press_and_a_form
async def test_a_former_admin_is_refused_in_an_open_form(bot: AdminBot, action: Action) -> None:
    place = await press_of(bot, action)
    bot.ada.member.is_admin = False
    before = await bot.stored()

    await assert_refused(bot, action, before, await place.use())


@a_press_and_a_form
async def test_a_former_manager_is_refused_in_an_open_form(bot: AdminBot, action: Action) -> None:
    await bot.name("bob")
    place = await press_of(bot, action, "bob")
    await bot.name()
    before = await bot.stored()

    await assert_refused(bot, action, before, await place.use())


STALE = {REMOVE_KEY, ROLL_BACK, NEXT_STEP, UNUSED, DELETED_IT}


@pytest.mark.parametrize("action", [a for a in ACTIONS if a.name in STALE], ids=lambda a: a.name)
async def test_an_outdated_form_changes_nothing(bot: AdminBot, action: Action) -> None:
    place = await press_of(bot, action)
    for secret in ("S", "T"):
        bot.clock.advance(60)
        form = Action(name=KEY_FORM, draw=a_key_form, fields={"API key": NEW.replace("R", secret)})
        await (await press_of(bot, form, "olga")).use()
    await bot.name("bob")
    before, bot.tracker.asked = await bot.stored(), []

    await place.use()

    assert await bot.stored() == before
    assert bot.tracker.asked == []


# Pressed twice


# Slack closes the form of a key at once.
@pytest.mark.parametrize(
    "action", [a for a in ACTIONS if a.name != KEY_FORM], ids=lambda a: a.name
)
async def test_two_quick_presses_act_once(bot: AdminBot, action: Action) -> None:
    await (await press_of(bot, action)).use(times=2)

    expected = [action.act] if action.act else []
    assert await bot.acts() == expected


# None is forgotten


OF_MEMBERS = {"add", "/adddomain", "alert", "bulk", "digest", "digests", "export"}
OF_MEMBERS |= {"home", "scan", "share", "shortcut"}


async def test_the_table_names_every_action_there_is(bot: AdminBot) -> None:
    named = {action.name for action in ACTIONS}
    of_members = {*OF_MEMBERS, CANCEL}
    others = {name for name in bot.dispatcher.names if name.partition(".")[0] not in of_members}

    assert named == others
