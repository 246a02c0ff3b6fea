"""What people see of the bot, and what they do with whatever they see."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from bot.playground.slack import (
    CommandFailed,
    Delivery,
    FormError,
    Message,
    NothingToPress,
    Person,
    View,
)
from bot.playground.slack.block_contents import Found, elements, label
from bot.playground.slack.visible import visible
from tests.whole.harness import Harness

PEOPLE = ("ada", "olga", "bob", "cy", "gus", "zoe")  # an owner, an admin, a guest, a stranger
LOOKED_AT = 8  # messages of a place that somebody still presses in
REMEMBERED = 30
# What a client shows by itself when somebody tries it; nothing reaches the bot.
NOT_SENT = (FormError, NothingToPress, ValueError, LookupError)
Seen = dict[tuple[str, str], tuple[int, str]]


def places_of(app: Harness, person: Person) -> list[Any]:
    """Return the channels that somebody reads, and their direct message."""
    workspace = app.slack.world.workspace
    dm = workspace.direct_message(person.member)
    return [*(each for each in workspace.channels.values() if person.id in each.members), dm]


def seen(app: Harness, person: Person) -> Seen:
    """Return all that somebody has before their eyes, with how often it was changed."""
    found: Seen = {}
    for place in places_of(app, person):
        for message in visible(place, person.member)[-REMEMBERED:]:
            found[place.id, message.ts] = message.revision, message.everything
    stacks = app.slack.world.stacks
    for view in [*stacks.of(person.id), *filter(None, [stacks.homes.get(person.id)])]:
        errors = str(view.block_errors)
        found["view", view.id] = view.revision, view.everything + errors
    return found


@dataclass
class Request:
    """What somebody has asked of the bot. `before` is what they saw then.

    `excuse`: why nothing is owed for it; `failed`: what Slack showed of it.
    """

    app: Harness
    person: Person
    what: str
    before: Seen
    at: float
    is_command: bool = False
    delivery: Delivery | None = None
    excuse: str = ""
    failed: str = ""

    @property
    def text(self) -> str:
        return f"{self.person.member.name} of {self.app.portfolio} {self.what}"


class People:
    """Everybody in both workspaces. `asked` are the requests of the present step."""

    def __init__(self, chance: random.Random, now: Callable[[], float]) -> None:
        self.chance = chance
        self.now = now
        self.asked: list[Request] = []
        self.keys: dict[str, list[str]] = {}  # by workspace: each key that somebody held

    async def ask(
        self,
        app: Harness,
        person: Person,
        what: str,
        act: Awaitable[Any],
        *,
        is_command: bool = False,
    ) -> Request:
        """Let somebody do something, and note it as asked of the bot."""
        request = Request(app, person, what, seen(app, person), self.now(), is_command)
        self.asked.append(request)
        try:
            request.delivery = await act
        except CommandFailed as failure:
            request.delivery, request.failed = failure.delivery, failure.code
            if failure.delivery is None:
                request.excuse = f"Slack says {failure.code}"
        except NOT_SENT as error:
            request.excuse = repr(error)
        except asyncio.CancelledError:
            request.excuse = "given up before it was acknowledged"
            raise
        return request

    def anybody(self, app: Harness) -> Person:
        [name] = self.chance.choices(PEOPLE, (5, 1, 5, 2, 1, 1))
        return app.slack.person(name)

    async def type(self, app: Harness, person: Person, line: str, channel: str) -> Request:
        act = person.type(line, channel)
        return await self.ask(app, person, f"types {line} in {channel}", act, is_command=True)

    async def use(self, app: Harness, person: Person) -> Request | None:
        """Press or choose something of what the person sees, or send their form."""
        form = person.form
        if form and self.chance.random() < 0.8:
            if form.payload.get("submit") and self.chance.random() < 0.6:
                return await self.submit(app, person, form)
            if self.chance.random() < 0.1:
                await person.close(form)
                return None
            things: list[Message | View] = [form]
        else:
            place = self.chance.choice(places_of(app, person))
            things = [m.snapshot() for m in visible(place, person.member)[-LOOKED_AT:]]
            things += [person.home] if person.home and self.chance.random() < 0.3 else []
        if not things:
            return None
        where = self.chance.choice(things)
        kinds = {"button", "static_select"} if isinstance(where, Message) else {"button"}
        buttons = [each for each in elements(where.blocks) if each.element["type"] in kinds]
        if not buttons:
            return None
        return await self.press(app, person, where, self.chance.choice(buttons))

    async def press(
        self, app: Harness, person: Person, where: Message | View, found: Found
    ) -> Request:
        """Press a button, or choose something in a menu."""
        options = found.element.get("options")
        if options:
            answer = label(self.chance.choice(options))
            act: Awaitable[Any] = person.choose(where, found.element["action_id"], answer)
        else:
            answer = label(found.element)
            act = person.by_id.press(where, *found.key)
        what = f"presses {answer!r} ({found.element.get('action_id')})"
        request = await self.ask(app, person, what, act)
        if found.element.get("url"):
            request.excuse = "a link"
        return request

    async def submit(
        self, app: Harness, person: Person, form: View, fields: dict[str, Any] | None = None
    ) -> Request:
        """Fill in a form, by `fields` or as it comes to somebody's mind, and send it."""
        what = f"sends {form.title!r}"
        if fields is None:
            for found in elements(form.blocks):
                if found.block["type"] == "input" and self.chance.random() < 0.5:
                    try:
                        await self.fill(app, person, form, found)
                    except (*NOT_SENT, CommandFailed) as error:
                        what += f" without {found.names[0]} ({error})"
        return await self.ask(app, person, what, person.submit(form, fields))

    async def fill(self, app: Harness, person: Person, form: View, found: Found) -> None:
        name, element = found.names[0], found.element
        options = [label(each) for each in element.get("options", ())]
        kind = element["type"]
        if kind.endswith("external_select"):
            options = await person.suggest(form, name, self.chance.choice(["", "sho", "Eur"]))
        answer: Any
        match kind:
            case "plain_text_input":
                answer = self.words(app, name)
            case "number_input":
                answer = self.chance.randrange(1, 30)
            case "timepicker":
                answer = f"{self.chance.randrange(24):02}:{self.chance.randrange(60):02}"
            case "datepicker":
                days = timedelta(days=self.chance.randrange(1, 9))
                answer = (app.clock() + days).date().isoformat()
            case "users_select" | "multi_users_select":
                answer = self.chance.choice(["bob", "cy"])
            case "conversations_select" | "multi_conversations_select":
                answer = self.chance.choice(["general", "secret", "random"])
            case _:
                if not options:
                    return
                answer = self.chance.choice(options)
        if kind.startswith("multi_") or kind == "checkboxes":
            answer = [answer]
        await person.choose(form, name, answer)

    def words(self, app: Harness, field: str) -> str:
        """Return what somebody writes into such a field; rarely a key where none is due."""
        if "key" in field.lower() or self.chance.random() < 0.03:
            return self.some_key(app)
        if "ilter" in field:
            return self.chance.choice(["", "tag:prod", "below:90", f"tag:{app.portfolio}", "&<x"])
        hosts = [each.domain for each in app.account.domains.values()] or ["none.example"]
        new = f"n{self.chance.randrange(40)}.{app.portfolio}.example"
        return self.chance.choice([*hosts, new, f"{new} https://{hosts[0]}/x", "no name"])

    def some_key(self, app: Harness) -> str:
        """Return a key that works, one with too few rights, one that has ended, or none at all."""
        held = self.keys.setdefault(app.portfolio, [])
        kind = self.chance.choice(["good", "good", "reading", "held", "ended", "nonsense"])
        if kind == "held" and held:
            return self.chance.choice(held)
        if kind == "nonsense":
            return "service_sk_" + "x" * 40
        scopes = ("read_domains",) if kind == "reading" else ("read_domains", "write_domains")
        days = self.chance.choice([30, 90, None])
        held.append(app.account.create_key("drawn", scopes, days=days))
        if kind == "ended":
            app.account.revoke_key(held[-1])
        return held[-1]
