"""A store that version 0.1 has written opens, and everything in it works.

These tests go through what stays when the
bot is restructured: Slack, the command line, and the rows of the store.
"""

import contextlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.playground.slack import Message, Person
from tests.postgres import PostgresServer
from tests.processes import ROOT
from tests.stored_0_1.operated import operated
from tests.stored_0_1.outside import (
    HOME,
    IN_ORG,
    NAMES,
    Outside,
    put_back,
    read_outside,
    send_again,
    show_home_again,
)
from tests.stored_0_1.rows import rows, until_rows
from tests.stored_0_1.stores import (
    HERE,
    RING,
    fill_database,
    lay_file,
    ringed,
    with_one_token,
)
from tests.whole.digests import (
    next_digest,
    next_notice,
    open_list,
    press_in,
    score,
    settled,
)
from tests.whole.harness import running_bot
from tests.whole.many import Many, many_stand_ins
from tests.whole.test_home import home_where, window
from tests.whole.test_key_admin import history, state
from tests.whole.test_tokens import spent

pytestmark = pytest.mark.anyio

NEWEST_KEY = "k2:" + "e" * 43 + "="


# The store, and the people whose it is


@pytest.fixture(scope="module")
def migrated(postgres: PostgresServer) -> Iterator[str]:
    """Return the name of a database of 0.1 that an operator has migrated."""
    with postgres.database() as url:
        fill_database(HERE / "postgres" / "store.sql", url)
        subprocess.run(
            [sys.executable, "-m", "bot", "migrate"],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DATABASE_URL": url},
            check=True,
        )
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture(params=["sqlite", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# What is stored is the same in both. Where it is only read, and by many parts, one will do.
in_postgres = pytest.mark.parametrize("kind", ["postgres"])


@pytest.fixture
def transport(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Lay the store down; return what `many_stand_ins` takes."""
    if kind == "sqlite":
        lay_file(HERE / kind / "store.sql", tmp_path / "bot.sqlite")
        yield "socket"
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database(request.getfixturevalue("migrated")) as url:
        yield url


@pytest.fixture
def outside(kind: str) -> Outside:
    return read_outside(HERE / kind / "outside.json")


@pytest.fixture
async def many(tmp_path: Path, transport: str, outside: Outside) -> AsyncIterator[Many]:
    """Everybody as they were, half a minute after the last process was killed. No bot runs."""
    async with many_stand_ins(tmp_path, NAMES, in_org=IN_ORG, transport=transport) as many:
        many.move_in(HOME, many.slack, admin="ada")
        put_back(many, outside)
        at(many, "08T10:02:30")
        ringed(many, RING)
        yield many


def at(many: Many, moment: str) -> None:
    """Let it be that moment of March 2026, in UTC."""
    then = datetime.fromisoformat(f"2026-03-{moment}").replace(tzinfo=UTC)
    many.clock.ahead = then - datetime.now(UTC)


async def answered(person: Person, line: str, words: str) -> Message:
    """Type a line; return the answer that says that, whatever else there is to read."""
    await person.type(line)
    return await next_with(person, words)


async def next_with(person: Person, words: str, channel: str = "general") -> Message:
    """Return the next message that says that."""
    return await person.next_message(channel, where=lambda each: words in each.everything)


# Digests


async def test_every_digest_is_listed_with_its_state_and_what_was_under_way_goes_on(
    many: Many,
) -> None:
    home, birch, ember = many[HOME], many["birch"], many["ember"]
    async with running_bot(home):
        listed = (await open_list(home, home.bob)).everything
        in_secret = (await open_list(home, home.bob, "secret")).everything
        in_shared = (await open_list(home, home.bob, "shared")).everything
        in_random = (await open_list(home, home.ada, "random")).everything
        at(many, "08T10:04")
        late = await next_digest(home)
        uncertain = await next_notice(home)
        await home.bob.press(uncertain, "Send now")
        await next_digest(home)
        answer = await next_notice(home)
        at(many, "08T10:46")
        after_a_wait = await next_digest(birch)
        await ember.connect()
        after_a_refused_key = await next_digest(ember)

    assert "4 digests" in listed
    assert "*Active*, next run Mon 9 Mar 2026, 09:00" in listed
    assert "5 Mar 2026, 09:00 UTC was missed; 4 Mar 2026, 09:00 UTC was missed" in listed
    assert "When something got worse; heartbeat after 3 quiet runs  ·  1 mention" in listed
    assert "*Waiting*: Domain Tracker did not answer; next try 8 Mar 2026, 10:03 UTC" in listed
    assert "Last run 7 Mar 2026, 10:00 UTC: ⚠️ was not posted" in listed
    assert "*Being sent now*" in listed
    assert f"*Paused* by <@{home.bob.id}>, until 9 Mar 2026" in in_secret
    assert "08:30 (Europe/Berlin)" in in_secret
    assert "until it is resumed" in in_secret
    assert "7 Mar 2026, 09:20 UTC may be missing" in in_shared
    assert "*Paused*: the app is not in the channel" in in_random
    assert "*Late:* due 10:00, sent 10:04" in late.everything
    assert "may be missing" in uncertain.everything
    assert "Sent" in answer.everything
    assert "*Late:* due 09:45, sent 10:46" in after_a_wait.everything
    assert "*Late:* due 09:40, sent 10:46" in after_a_refused_key.everything


@in_postgres
async def test_the_next_digests_compare_with_what_was_posted_before(many: Many) -> None:
    home = many[HOME]
    async with running_bot(home):
        at(many, "08T10:04")
        await next_digest(home)
        at(many, "09T07:30")
        after_its_pause = await next_digest(home, channel="secret")
        score(home, "shop.example", 60)
        at(many, "09T09:00")
        daily = await next_digest(home)
        score(home, "www.example", 50)
        at(many, "09T09:05")
        worse = await next_digest(home)
        home.slack.invite_bot("random")
        resumed = await press_in(home.bob, await open_list(home, home.bob, "random"), "Resume")
        at(many, "09T09:15")
        again = await next_digest(home, channel="random")

    assert "compared with 8 Mar 2026, 09:00 UTC" in daily.everything
    assert "▲ +30" in daily.everything
    assert "2 Mar 69, 3 Mar 63.6, 6 Mar 63.6, 7 Mar 63.6, 8 Mar 63.6, 9 Mar 73.6" in daily.text
    assert "3 domains with a score, worst first" in daily.everything
    assert "compared with 3 Mar 2026, 09:05 UTC" in worse.everything
    assert {*worse.mentions} == {f"<@{home.ada.id}>"}
    assert "Active" in resumed.everything
    assert "compared with 6 Mar 2026, 10:30 UTC" in again.everything
    assert "tag:eu" in after_its_pause.everything


# The key, commands that were kept, and what was interrupted


async def test_the_key_its_earlier_one_its_managers_and_its_history_are_there(
    many: Many, outside: Outside
) -> None:
    home = many[HOME]
    first, second = (each["value"] for each in outside.towns[HOME]["keys"])
    async with running_bot(home):
        await answered(home.bob, "/domains", "4 domains")
        used = many.tracker.requests[-1].key_name
        shown = await state(home)
        to_a_manager = await answered(home.bob, "/domainkey", "API key")
        to_cy = await state(home, home.slack.person("cy"))
        acts = await history(home)
        home.account.scan_results["shop.example"] = {"ssl": {"issuer": "Newest CA"}}
        scan = await answered(home.bob, "/scan shop.example", "Scan of shop")
        rolled_back = await home.press(home.ada, await state(home), "Roll back")
        await answered(home.bob, "/scan www.example", "Scan of www")
        used_then = many.tracker.requests[-1].key_name

    assert (used, used_then) == ("second", "bot")
    assert f"service_sk_…{second[-4:]}" in shown.everything
    assert f"…{first[-4:]}`), is kept until 14 Mar 2026, 17:00 UTC" in shown.everything
    assert "5 Jun 2026 (in 89 days)" in shown.everything
    assert f"<@{home.bob.id}>, <!subteam^" in shown.everything
    assert "Replace key" in to_a_manager.buttons
    assert "Replace key" not in to_cy.buttons
    assert "replaced the key by" in acts
    assert "set up a digest" in acts
    assert "New CA → Newest CA" in scan.everything
    assert "is in use again" in rolled_back.everything


@in_postgres
async def test_commands_that_were_kept_run_once_there_is_a_key(many: Many) -> None:
    amber = many["amber"]
    amber.account.add("shop.amber.example", health=41)
    async with running_bot(many[HOME]):
        await amber.connect()

        await next_with(amber.bob, "1 domain,", "dm")  # as the app is not in the channel
        await next_with(amber.slack.person("cy"), "Scan of shop.amber.example", "dm")


# Where several share a store it takes 25 s until they know of a death: see test_killed.py.
@pytest.mark.parametrize("kind", ["sqlite"])
async def test_a_person_who_waited_when_the_process_was_killed_gets_a_message(many: Many) -> None:
    home = many[HOME]
    async with running_bot(home):
        message = await next_with(home.bob, "The app was interrupted")
        await home.bob.press(message, "Try again")
        await next_with(home.bob, "Scan of shop.example")

    assert "`/scan shop.example`" in message.everything


# Installations


@in_postgres
async def test_every_workspace_is_served_with_its_own_token_and_key(
    many: Many, outside: Outside
) -> None:
    tokens = {home_id: each["value"] for home_id, each in outside.tokens.items()}
    async with running_bot(many[HOME]):
        for name in (HOME, "birch", "delta"):
            admin = many[name].slack.person(many[name].admin)
            await answered(admin, "/domainkey", "API key")
        used = {call.team_id: call.token for call in many.slack.calls if call.token}
        at(many, "08T20:00")  # after the token of birch
        await answered(many["birch"].bob, "/domains", "shop.birch.example")

    assert used | {None: ""} == {
        None: "",  # calls of the app itself
        "T0PLAYGROUND": tokens["T0PLAYGROUND"],
        "T0BIRCH": tokens["T0BIRCH"],
        "T0DELTA": tokens["E0GLOBEX"],
    }
    assert spent(many.slack) == [outside.tokens["T0BIRCH"]["refresh_token"]]


async def test_what_has_left_is_gone_and_can_come_back(many: Many) -> None:
    coral, dune = many["coral"], many["dune"]
    async with running_bot(many[HOME]):
        await many.install("coral")
        await answered(coral.bob, "/domains", "shop.coral.example")
        listed = await open_list(coral, coral.bob)
        await many.install("dune")
        await answered(dune.bob, "/domains", "not connected")
        await many["birch"].slack.uninstall()
        assert many.org
        await many.org.uninstall()
        left = await until_rows(
            many.settings, lambda found: not any("BIRCH" in key or "E0" in key for key in found)
        )

    assert "every day at 12:00 (UTC)" in listed.everything
    assert "-.T0DUNE/installation" in left
    assert "-.T0PLAYGROUND/key" in left


@in_postgres
async def test_the_bot_with_one_token_goes_on_with_it(many: Many) -> None:
    home = with_one_token(many)
    async with running_bot(home):
        await answered(home.bob, "/domains", "4 domains")
        listed = await open_list(home, home.bob)

    assert "4 digests" in listed.everything
    assert home.slack.person("olga").messages("dm") == []  # it knows its store


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_a_store_that_holds_no_more_than_its_mark_is_not_taken_for_a_lost_one(
    many: Many,
) -> None:
    home = with_one_token(many)
    with contextlib.closing(sqlite3.connect(home.settings.database_path)) as file:
        file.execute("DELETE FROM docs WHERE key NOT IN ('-.T0PLAYGROUND/seen', 'meta/key-check')")
        file.commit()
    async with running_bot(home):  # which ends only when it has looked
        await answered(home.bob, "/domains", "not connected")

    assert home.slack.person("olga").messages("dm") == []


# What still stands in channels: messages of the old bot, pressed under the new one

# Where the answer comes: in a form, in direct messages, or in the channel of the message.
FORM, DM, HERE_TOO = "form", "dm", "here"
OF_DIGEST, OF_KEY = ("Scan worst", "Manage"), ("Replace key", "Remove key")
OF_SCAN, OF_LIST = ("Scan again", "Share"), ("Scan", "Add domain", "Share")
NEAR_MISS, OF_WELCOME = ("Scan shop.example", "Add it"), ("Set key", "How to use it")
# The workspace and channel of a message, who presses, what it has, what is pressed, what comes.
BUSY = "being sent now"
PRESSES = [
    (HOME, "general", "cy", OF_DIGEST, "Scan worst", HERE_TOO, "Scan of shop.example"),
    (HOME, "general", "cy", OF_DIGEST, "Manage", FORM, "4 digests"),
    (HOME, "secret", "bob", ("Manage",), "Manage", FORM, "2 digests"),
    (HOME, "dm", "bob", ("Send now", "Manage"), "Send now", DM, "Sent"),
    (HOME, "dm", "bob", ("Resume", "Manage"), "Resume", DM, "Resumed"),
    (HOME, "dm", "bob", ("Resume", "Manage"), "Manage", FORM, "1 digest"),
    (HOME, "dm", "bob", ("Show all", "Scan again"), "Scan again", DM, "Scan of shop.example"),
    (HOME, "dm", "ada", ("How to use it",), "How to use it", DM, "/domains tag:prod"),
    (HOME, "dm", "olga", OF_WELCOME, "Set key", FORM, "API key"),
    (HOME, "general", "ada", OF_KEY, "Replace key", FORM, "API key"),
    (HOME, "general", "ada", OF_KEY, "Rotate key", FORM, "Step 1 of 4"),
    (HOME, "general", "ada", OF_KEY, "Check key", HERE_TOO, "works"),
    (HOME, "general", "ada", OF_KEY, "Managers", FORM, "Managers"),
    (HOME, "general", "ada", OF_KEY, "History", FORM, "replaced the key"),
    (HOME, "general", "ada", OF_KEY, "Remove key", HERE_TOO, "replaced the key"),
    (HOME, "general", "bob", ("Show all", "Share"), "Show all", FORM, "page 1 of"),
    (HOME, "general", "bob", OF_SCAN, "Scan again", HERE_TOO, "Scan of shop.example"),
    (HOME, "general", "bob", OF_SCAN, "All domains", HERE_TOO, "4 domains"),
    (HOME, "general", "bob", OF_SCAN, "Share", HERE_TOO, "Shared by"),
    (HOME, "general", "bob", NEAR_MISS, "Scan shop.example", HERE_TOO, "Scan of shop.example"),
    (HOME, "general", "bob", NEAR_MISS, "Add it", HERE_TOO, "Added *shop.exmaple*"),
    (HOME, "general", "bob", OF_LIST, "Scan", FORM, "Domain"),
    (HOME, "general", "bob", OF_LIST, "Add domain", FORM, "Domain"),
    (HOME, "general", "bob", OF_LIST, "Share", HERE_TOO, "Shared by"),
    (HOME, "general", "bob", ("Try again",), "Try again", HERE_TOO, "Added *lost.example*"),
    ("amber", "dm", "ada", OF_WELCOME, "Set key", FORM, "API key"),
    ("delta", "dm", "olga", ("Replace key", "Check key"), "Replace key", FORM, "API key"),
    ("delta", "general", "bob", ("Try again",), "Try again", HERE_TOO, "2 domains"),
]


@in_postgres
async def test_the_buttons_of_messages_that_still_stand_in_channels_work(
    many: Many, outside: Outside
) -> None:
    many[HOME].slack.invite_bot("random")
    at(many, "08T11:00")
    async with running_bot(many[HOME]):
        for workspace, channel, name, buttons, label, where, words in PRESSES:
            app = many[workspace]
            person = app.slack.person(name)
            message = await send_again(app, outside.message(workspace, channel, name, buttons))
            await person.press(message, label)
            seen_in = channel if where == HERE_TOO else where
            if label == "Send now":  # the digest's own slot may be under way at that moment
                while await said(person, seen_in, message, (words, BUSY)) == BUSY:
                    message = await send_again(
                        app, outside.message(workspace, channel, name, buttons)
                    )
                    await person.press(message, label)
            else:
                await until_seen(person, seen_in, words, message)


async def said(person: Person, where: str, pressed: Message, words: tuple[str, ...]) -> str:
    """Return which of these words the next message that has one of them says."""
    before = (pressed.ts, pressed.revision)
    answer = await person.next_message(
        where,
        where=lambda each: (
            (each.ts, each.revision) != before and any(word in each.everything for word in words)
        ),
    )
    return next(word for word in words if word in answer.everything)


async def until_seen(person: Person, where: str, words: str, pressed: Message) -> None:
    """Wait until somebody sees that, in a form or in a message that was not there."""
    if where == FORM:
        while words not in (form := await settled(person)).everything:
            pass
        await person.close(form)
        return
    before = (pressed.ts, pressed.revision)  # an answer may take its place
    await person.next_message(
        where,
        where=lambda each: (each.ts, each.revision) != before and words in each.everything,
    )


@in_postgres
async def test_the_buttons_of_a_home_tab_that_is_still_open_work(
    many: Many, outside: Outside
) -> None:
    home = many[HOME]
    async with running_bot(home):
        shown = await show_home_again(home, "ada", outside.homes["ada"])
        await home.ada.press(shown, "Scan", nth=1)
        await window(home.ada, "Open messages")
        for label, words in {"History": "replaced the key", "Manage": "Health digests"}.items():
            shown = await show_home_again(home, "ada", outside.homes["ada"])
            await home.ada.press(shown, label)
            assert words in (await settled(home.ada)).everything
        await home.ada.press(shown, "Refresh")
        await home_where(home, home.ada, "4 domains")


# Operators


async def test_doctor_export_and_import_know_it(many: Many, kind: str) -> None:
    exported = (HERE / kind / "export.yml").read_text()
    (many.folder / "export.yml").write_text(exported)

    doctor = await operated(many, "doctor")
    export = await operated(many, "export")
    history_of_all = await operated(many, "export", "--history")
    imported = await operated(many, "import", "export.yml", "--apply")

    assert doctor.status == 0, doctor.out
    assert "FAIL" not in doctor.out
    assert "BOT_SECRET_KEYS decrypts all 16 secrets" in doctor.out
    assert "5 installations" in doctor.out
    assert "the tokens of coral (T0CORAL) no longer" in doctor.out
    assert export.out == exported.replace("docs/operating.md", "docs/operators.md")
    assert history_of_all.out == (HERE / kind / "history.jsonl").read_text()
    assert "No difference." in imported.out


async def test_its_secrets_are_sealed_again_under_a_new_key(many: Many) -> None:
    ringed(many, f"{NEWEST_KEY},{RING}")
    said = await operated(many, "rotate-secrets")
    ringed(many, NEWEST_KEY)
    stored = str(await rows(many.settings))
    home = many[HOME]
    async with running_bot(home):
        await answered(home.bob, "/domains", "4 domains")
        await answered(many["birch"].bob, "/domains", "2 domains")
        back = await home.press(home.ada, await state(home), "Roll back")

    assert "14 sealed again under k2, 0 were so already, 0 could not be opened" in said.out
    assert "v1.k0." not in stored
    assert "v1.k1." not in stored
    assert "is in use again" in back.everything


@pytest.mark.parametrize("kind", ["sqlite"])
async def test_a_file_that_has_moved_to_a_database_is_refused_until_it_is_taken_back(
    many: Many,
) -> None:
    many.settings.database_path.unlink()
    lay_file(HERE / "postgres" / "moved.sql", many.settings.database_path)

    refused = await operated(many)
    back = await operated(many, "move", "--back")
    export = await operated(many, "export")

    assert "this store was moved to db.example:5432, database tracker" in refused.err
    assert refused.status == 1
    assert (back.status, back.err) == (0, "")
    assert "T0PLAYGROUND" in export.out
