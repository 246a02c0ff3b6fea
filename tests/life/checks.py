"""What holds after each step of a life, whatever was drawn. Each check says what it has seen."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from bot.digests.alert_card import AlertCard
from bot.digests.models import Digest, Mode, Snooze
from bot.digests.repository import ALERT, decode_digest
from bot.keys.failures import FailureReason
from bot.playground.slack import Message
from bot.playground.slack.block_contents import elements
from bot.store.documents import Document, decode_row
from tests import ports
from tests.life.people import PEOPLE, People, Request, seen
from tests.life.world import World
from tests.truth import Sample
from tests.whole.digests import headline
from tests.whole.harness import Harness, bytes_at_rest

ACK_WITHIN_S = 3.0
WAITS = re.compile(r"⏳ [^\n]*(?:…|up to 2 minutes)")
# How Slack says that it does not understand a call: a mistake of the bot.
NOT_UNDERSTOOD = {"invalid_blocks", "invalid_arguments", "invalid_form_data", "no_text"}
NOT_UNDERSTOOD |= {"missing_argument", "view_too_large", "msg_too_long", "invalid_blocks_format"}
TAKE_IT = {"I'm on it", "Take over", "End snooze"}
POSTED_WITHIN = timedelta(hours=7)
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
JUDGED_AFTER = 20 * MINUTE  # the next slot: a run is settled when that one begins


class Violation(AssertionError):  # noqa: N818  # reads as what has happened
    """Something that must not happen has happened."""


@dataclass
class Slot:
    """A moment at which a digest was due, by its plan and by our own calendar."""

    app: Harness
    digest: Digest
    due_at: datetime
    judged_at: datetime


@dataclass
class Step:
    """What is known of the present step, beside what people asked."""

    name: str
    began: datetime


@dataclass
class Checks:
    """Looks at everything after each step. `samples`: the scans of some hosts."""

    world: World
    people: People
    samples: dict[str, Sample]
    excused: set[tuple[str, ...]] = field(default_factory=set)  # what a killed bot left behind
    sends: list[tuple[str, datetime]] = field(default_factory=list)  # `Send now` was pressed
    disturbances: int = 0
    has_faults: bool = False  # something was ordered to fail in this step
    _looked: dict[tuple[str, str, str], int] = field(default_factory=dict)
    _digests: dict[tuple[str, str], Digest] = field(default_factory=dict)
    _looked_at: datetime = LONG_AGO
    _slots: list[Slot] = field(default_factory=list)
    _flaps: int = 0

    def after(self, step: Step) -> None:
        """Raise Violation for the first thing that is not as it must be."""
        try:
            self.look(step)
        except Violation as violation:
            violation.args = ("\n  after ".join([str(violation), *self.described()]),)
            raise

    def described(self) -> list[str]:
        asked = [f"{each.text} {each.excuse or each.failed}" for each in self.people.asked]
        calls = [
            f"{each.method} {str(each.answer or each.status)[:150]}"
            for each in self.world.slack.calls
        ]
        return [*asked, *calls[-8:], *map(str.strip, self.world.log.last[-8:])]

    def look(self, step: Step) -> None:
        self.acks()
        for request in self.people.asked:
            self.is_answered(request)
        self.nobody_waits()
        self.calls()
        self.writes(step)
        documents = self.documents()
        self.digests(documents)
        self.alerts(documents)
        self.log()
        self.messages(step)
        self.secrets()
        self.workspaces_apart(documents)
        self.people.asked.clear()
        for record in (self.world.slack.envelopes, self.world.slack.calls):
            record.clear()
        self.world.tracker.requests.clear()

    # Answers

    def acks(self) -> None:
        """Look at the acks; options wait up to 2.8 s for the service, and a socket may be late."""
        for sent in self.world.slack.envelopes:
            if sent.payload.get("type") == "block_suggestion":
                continue
            if not self.world.was_down(sent.at) and (
                sent.problem or (sent.ack_s or 0) - self.world.late.of(sent) > ACK_WITHIN_S
            ):
                what = sent.payload.get("command") or sent.payload.get("type")
                raise Violation(f"ack: {what} {sent.problem} {sent.ack_s}")

    def is_answered(self, request: Request) -> None:
        if request.excuse or self.world.was_killed_since(request.at):
            return
        if request.failed:
            if not self.world.was_down(request.at):
                raise Violation(f"answer: Slack shows {request.failed} when {request.text}")
            return
        new = self.answers(request)
        if not new:
            raise Violation(f"answer: none when {request.text}")
        private = Counter(each.everything for each in new if each and each.is_ephemeral)
        twice = [text for text, count in private.items() if count > 1]
        is_only = request.is_command and len(self.people.asked) == 1
        if twice and is_only and not self.has_faults:
            raise Violation(f"answer: twice when {request.text}: {twice[0][:200]}")

    def answers(self, request: Request) -> list[Message | None]:
        """Return what is new to somebody since they asked; None for a form, or what has gone."""
        now = seen(request.app, request.person)
        channels = request.app.slack.world.workspace.channels
        new: list[Message | None] = [None] * self.draws(request)
        for place, ts in request.before.keys() | now.keys():
            if now.get((place, ts)) != request.before.get((place, ts)):
                if place in channels:
                    message = channels[place].message(ts)
                    # It may only be too long ago to be looked at.
                    new += [message] if (place, ts) in now or message is None else []
                elif (place, ts) in now:
                    new.append(None)
        return new

    def draws(self, request: Request) -> bool:
        """Return whether a form or Home of the person was drawn again, perhaps as it was."""
        mine = {view_id for place, view_id in request.before if place == "view"}
        sent = request.delivery
        trigger = sent.trigger_id if sent else None
        return bool(sent and sent.body) or any(
            call.at >= request.at
            and (
                call.arguments.get("view_id") in mine
                or (trigger and call.arguments.get("trigger_id") == trigger)
            )
            for call in self.world.slack.calls
        )

    def waiting(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield whatever says "please wait" to somebody."""
        for app in self.world.apps:
            for name in PEOPLE:
                before_eyes = seen(app, app.slack.person(name))
                last = {place: ts for place, ts in sorted(before_eyes) if place != "view"}
                for (place, ts), (_, text) in before_eyes.items():
                    key = app.portfolio, place, ts
                    is_last = last.get(place, ts) == ts
                    if WAITS.search(text) and is_last and key not in self.excused:
                        yield key, f"{name} of {app.portfolio}: {text[:200]}"

    def nobody_waits(self) -> None:
        for _, text in self.waiting():
            raise Violation(f"please wait: the last word to {text}")

    def calls(self) -> None:
        for call in self.world.slack.calls:
            if (error := call.answer.get("error")) in NOT_UNDERSTOOD:
                raise Violation(f"call: {call.method} {error} {call.answer} {call.arguments}")

    # Digests

    def documents(self) -> list[Document]:
        """Return all documents; each of them reads back."""
        address = f"file:{self.world.many.settings.database_path}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute("SELECT key, value FROM docs").fetchall()
        try:
            return [decode_row(key, value.encode()) for key, value in rows]
        except ValueError as error:
            raise Violation(f"store: {error!r}") from error

    def digests(self, documents: list[Document]) -> None:
        """Note the slots since the last look, and judge those that are over."""
        now, before = self.world.clock(), self._digests
        self._digests = {}
        for each in documents:
            place, kind, *rest = each.key.split("/")
            if kind == "digest":
                try:
                    digest = decode_digest(each.value, each.rev)
                except Exception as error:
                    raise Violation(f"store: {each.key} {error!r}") from error
                self._digests[place.partition(".")[2], rest[0]] = digest
        for app in self.world.apps:
            for digest in self.quiet(app, before):
                self._slots += slots(app, digest, self._looked_at, now)
        over = [each for each in self._slots if each.judged_at <= now]
        self._slots = [each for each in self._slots if each.judged_at > now]
        for slot in over:
            self.judge(slot)
        self._before, self._looked_at = before, now

    _before: dict[tuple[str, str], Digest] = field(default_factory=dict)

    def quiet(self, app: Harness, before: dict[tuple[str, str], Digest]) -> Iterator[Digest]:
        """Yield the digests that nothing has changed or paused since the last look."""
        for (team_id, digest_id), digest in self._digests.items():
            old = before.get((team_id, digest_id))
            if team_id != app.slack.team_id or old is None or old.pause or digest.pause:
                continue
            if (old.version, old.plan) == (digest.version, digest.plan):
                yield digest

    def judge(self, slot: Slot) -> None:
        digest, app = slot.digest, slot.app
        if (app.slack.team_id, digest.digest_id) not in self._digests:
            return
        since, until = slot.due_at - MINUTE, min(slot.due_at + POSTED_WITHIN, slot.judged_at)
        posts = [each for each in posts_of(app, digest.digest_id) if since <= at(each) <= until]
        asked = [
            who for who, when in self.sends if who == app.portfolio and since <= when <= until
        ]
        if len(posts) > 1 + len(asked):
            raise Violation(f"slot: {slot.due_at} was posted {len(posts)} times: {digest}")
        # A run without a key waits for one until the next slot.
        following = slot.judged_at - JUDGED_AFTER
        posts += [
            each
            for each in posts_of(app, digest.digest_id)
            if since <= at(each) < following and "Late:" in each.everything
        ]
        if posts or digest.plan.mode is not Mode.ALWAYS or digest.plan.is_alert:
            return
        maker = app.slack.world.workspace.members.get(digest.made_by)
        place = f"<#{digest.plan.channel_id}>"
        notices = app.slack.world.workspace.direct_message(maker).messages if maker else []
        since = self.outage(app, slot) - MINUTE
        if not any(at(each) >= since and place in json.dumps(each.content) for each in notices):
            raise Violation(f"slot: neither posted nor told: {slot.due_at} {digest}")

    def outage(self, app: Harness, slot: Slot) -> datetime:
        """Return when the first of the runs was due that failed as that of `slot`: one notice."""
        past = self._digests[app.slack.team_id, slot.digest.digest_id].past
        runs = [each for each in reversed(past) if each.slot.due_at <= slot.due_at]
        row = list(takewhile(lambda each: each.trouble is FailureReason.KEY, runs))
        return row[-1].slot.due_at if row else slot.due_at

    def is_wanted(self, app: Harness, digest_id: str, post: Message) -> bool:
        """Return whether a digest may have posted that since the last look."""
        key = app.slack.team_id, digest_id
        old, new = self._before.get(key), self._digests.get(key)
        if any(
            who == app.portfolio and abs(at(post) - when) < 20 * MINUTE for who, when in self.sends
        ):
            return True
        if old is None or new is None:
            return not (old is None and new is None and key in self._known)
        if old.version == new.version:
            is_there = post.channel_id in {old.plan.channel_id, new.plan.channel_id}
            is_paused = old.pause and old.pause.by and old.pause.until is None
            was_resumed = any("resume" in each.what.lower() for each in self.people.asked)
            return is_there and (was_resumed or not is_paused)
        return True

    _known: set[tuple[str, str]] = field(default_factory=set)

    # Alerts

    def cards(self, app: Harness) -> list[Message]:
        """Return the cards in a workspace that somebody may press, the oldest first."""
        channels = app.slack.world.workspace.channels.values()
        said = [each for channel in channels for each in channel.messages[-60:]]
        return [each for each in said if TAKE_IT & set(each.buttons) and not each.is_ephemeral]

    def alerts(self, documents: list[Document]) -> None:
        """Look at the cards that are not to be drawn again by now: each says what is so."""
        now, before = self.world.clock(), self._snoozed
        self._snoozed, down = {}, Counter[tuple[str, str, str]]()
        for each in documents:
            place, kind, *rest = each.key.split("/")
            team_id = place.partition(".")[2]
            app = next((app for app in self.world.apps if app.slack.team_id == team_id), None)
            if kind != ALERT or app is None:
                continue
            alert = msgspec.convert(each.value, AlertCard)
            digest = self._digests.get((team_id, rest[0]))
            channel = app.slack.world.workspace.channels.get(alert.channel_id)
            card = channel.message(alert.ts) if channel and alert.ts else None
            if card is None or digest is None:
                continue
            down.update((team_id, rest[0], fall.host) for fall in alert.down)
            snooze = digest.active_snooze(now) or alert.active_snooze(now)
            if snooze:
                self._snoozed[each.key] = snooze
            if not (alert.claimed_by or alert.tries or alert.due <= now):
                self.is_true(card, alert, snooze)
            self.is_mentioned_once(channel.messages[-60:] if channel else [], alert)
            if snooze and before.get(each.key) == snooze:
                self.is_silent(app, alert)
        for (_, digest_id, host), count in down.items():
            if count > 1:
                raise Violation(f"card: {host} is on {count} open cards of {digest_id}")

    _snoozed: dict[str, Snooze] = field(default_factory=dict)

    def is_true(self, card: Message, alert: AlertCard, snooze: Snooze | None) -> None:
        text = card.everything
        wrong = {
            "is over": headline(card).startswith(("✅", "Ended")) == bool(alert.down),
            "is taken": ("is on it since" in text) != bool(alert.taken_by and alert.down),
            "is taken by another": bool(
                alert.taken_by and alert.down and f"<@{alert.taken_by}> is on it" not in text
            ),
            "is snoozed": ("snoozed" in text) != bool(snooze),
            "lacks a domain": any(host not in text for host in alert.hosts[:10]),
            "mentions no one": bool(alert.remind_at and alert.remind_at < self.world.clock()),
        }
        if found := [name for name, is_so in wrong.items() if is_so]:
            raise Violation(f"card: {found} of {alert}: {text[:400]}")

    def is_mentioned_once(self, messages: list[Message], alert: AlertCard) -> None:
        """Nobody is mentioned twice for a card, nor after somebody took it."""
        said = [each for each in messages if each.thread_ts == alert.ts]
        lines = [each for each in said if "No one is on it after" in each.everything]
        most = 2 if self.disturbances else 1  # a process may have died after it
        is_late = alert.taken_at and any(at(each) > alert.taken_at + MINUTE for each in lines)
        if len(lines) > most or is_late:
            raise Violation(f"mention: {[each.everything for each in lines]} of {alert}")

    def is_silent(self, app: Harness, alert: AlertCard) -> None:
        channel = app.slack.world.workspace.channels[alert.channel_id]
        for message in channel.messages[-60:]:
            is_new = (app.portfolio, channel.id, message.ts) not in self._looked
            if is_new and message.thread_ts == alert.ts and "📉" in message.everything:
                raise Violation(f"snooze: {message.everything} of {alert}")

    # Messages

    def messages(self, step: Step) -> None:
        """Look at each message that is new or has changed."""
        self._known |= self._digests.keys()
        for app in self.world.apps:
            for channel in app.slack.world.workspace.channels.values():
                new: Counter[str] = Counter()
                for message in channel.messages[-200:]:
                    key = (app.portfolio, channel.id, message.ts)
                    if self._looked.get(key) != message.revision:
                        is_new = key not in self._looked
                        self._looked[key] = message.revision
                        self.is_founded(app, message)
                        if is_new and not message.is_ephemeral and message.bot_id:
                            of = message.thread_ts  # two alerts may have fallen alike
                            new[f"{message.everything}\n{values_of(message)}{of}"] += 1
                            self.is_due(app, message)
                # A notice that may not have arrived is sent once more.
                most = 2 if channel.is_im and self.has_faults else 1
                for text, count in new.items():
                    if count > most and len(self.people.asked) < 2:
                        raise Violation(f"twice: {count} times in {channel.name}: {text[:300]}")

    def is_due(self, app: Harness, message: Message) -> None:
        ids = [digest_id for team, digest_id in self._known if team == app.slack.team_id]
        if headline(message) and "lert" not in headline(message):
            for digest_id in ids:
                if is_of(message, digest_id) and not self.is_wanted(app, digest_id, message):
                    raise Violation(f"digest: nobody wants {message.everything[:200]}")
        if headline(message).endswith(("got worse", "changed")) and "flap." in message.everything:
            self._flaps += 1
            if self._flaps > self.disturbances + 1:
                raise Violation(f"flaps: {message.everything[:300]}")

    def is_founded(self, app: Harness, message: Message) -> None:
        """Look at claims that all is well: they need what is known to be so."""
        text, bad = message.everything, self.unwell(app)
        scan = re.search(r"Scan of (\S+)", text)
        if "No issues reported" in text:
            if scan and scan[1] in bad:
                raise Violation(f"well-being: {scan[1]} has {self.samples[scan[1]].name}: {text}")
            many = re.search(r"([\d,]+)(?: of [\d,]+)? domains? scanned", text)
            if many and int(many[1].replace(",", "")) > len(app.account.domains) - len(bad):
                raise Violation(f"well-being: {bad} are among {text}")
        counted = re.match(r"Health digest: ([\d,]+) domain", headline(message))
        if counted and int(counted[1]) == len(app.account.domains) and "✅" in text and bad:
            raise Violation(f"well-being: {bad} are among {text}")

    def unwell(self, app: Harness) -> set[str]:
        hosts = {each.domain for each in app.account.domains.values()}
        return hosts & self.samples.keys()

    # What is done, kept and logged

    def writes(self, step: Step) -> None:
        """What may have been written is not written again, unless somebody asks again."""
        is_night = min(step.began.hour, self.world.clock().hour) < 7  # which scans again
        if len(self.people.asked) > 1 or is_night or step.name in {"retried", "restart"}:
            return
        done = Counter(
            (each.account, each.path, json.dumps(each.body))
            for each in self.world.tracker.requests
            if each.method == "POST"
            and each.status not in range(400, 500)
            and each.at >= step.began  # before it, a night may have been
        )
        for what, count in done.items():
            if count > 1:
                raise Violation(f"write: {count} times {what}")

    def log(self) -> None:
        if self.world.log.bad:
            raise Violation(f"log: {self.world.log.bad[0]}")

    def secrets(self) -> None:
        secrets = {key for keys in self.people.keys.values() for key in keys}
        secrets |= {app.slack.bot_token for app in self.world.apps if app.slack.bot_token}
        secrets |= {self.world.slack.client_secret, self.world.slack.signing_secret}
        where = {
            "the store": bytes_at_rest(self.world.many.folder).decode(errors="replace"),
            "a call": json.dumps(
                [each.arguments for each in self.world.slack.calls if each.team_id]
            ),
            "the log": "".join(self.world.log.last),
        }
        for place, text in where.items():
            for secret in secrets:
                if secret in text:
                    at = text.index(secret)
                    raise Violation(f"secret: in {place}: {text[max(0, at - 200) : at + 20]}")

    def workspaces_apart(self, documents: list[Document]) -> None:
        for app in self.world.apps:
            [other] = [each.portfolio for each in self.world.apps if each is not app]
            mine = [
                (each.method, each.arguments)
                for each in self.world.slack.calls
                if each.team_id == app.slack.team_id
            ]
            kept = [
                (each.key, each.value)
                for each in documents
                if f".{app.slack.team_id}/" in each.key
            ]
            for where, what in [*mine, *kept]:
                if other in json.dumps(what):
                    raise Violation(f"workspaces: {other} in {where} of {app.portfolio}: {what}")

    def is_forgotten(self, app: Harness) -> None:
        """Nothing is left of a workspace that has removed the app."""
        rest = bytes_at_rest(self.world.many.folder)
        for trace in (app.slack.team_id, app.portfolio):
            if trace.encode() in rest:
                keys = [each.key for each in self.documents() if app.slack.team_id in each.key]
                raise Violation(f"uninstalled: {trace} is in the store still: {keys}")


def posts_of(app: Harness, digest_id: str) -> list[Message]:
    """Return the posts of a digest that have a headline, in whatever channel."""
    channels = app.slack.world.workspace.channels.values()
    said = [
        message for channel in channels if not channel.is_im for message in channel.messages[-400:]
    ]
    return [each for each in said if headline(each) and is_of(each, digest_id)]


def is_of(message: Message, digest_id: str) -> bool:
    return any(digest_id in value for value in values_of(message))


def values_of(message: Message) -> list[str]:
    return [str(each.element.get("value")) for each in elements(message.blocks)]


def at(message: Message) -> datetime:
    return datetime.fromtimestamp(float(message.ts), UTC)


def slots(app: Harness, digest: Digest, after: datetime, until: datetime) -> Iterator[Slot]:
    """Yield the moments of a digest at a time of day, by a calendar that is not the bot's."""
    plan = digest.plan.schedule
    if digest.plan.is_alert or plan.month_day or plan.weeks != 1:
        return
    day: date = after.date() - DAY
    found = []
    while day <= until.date() + 9 * DAY:
        if day.weekday() in plan.days:
            local = datetime.combine(day, time(plan.at.hour, plan.at.minute))
            found.append(local.replace(tzinfo=ZoneInfo(plan.zone)).astimezone(UTC))
        day += DAY
    for due, following in pairwise(found):
        if max(after, digest.made_at) < due <= until:
            yield Slot(app, digest, due, following + JUDGED_AFTER)


def left_over(descriptors: set[str]) -> None:
    """Raise Violation for whatever is left when all is over; `descriptors` were there before."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    if tasks:
        raise Violation(f"left over: {tasks}")
    loop: Any = asyncio.get_running_loop()
    timers = [each for each in loop._scheduled if not each.cancelled()]
    if timers:
        raise Violation(f"left over: {timers}")
    if rest := open_descriptors() - descriptors:
        raise Violation(f"left over: {rest}")


def open_descriptors() -> set[str]:
    """Return what this process has open, but for the ports that tests keep reserved."""
    kept = {each.fileno() for each in ports._kept}
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # the one that lists
            if int(each.name) not in kept:
                found.add(str(each.readlink()))
    return found
