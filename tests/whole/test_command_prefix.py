"""The commands under names of the operator's own: what people type, read and press."""

import json
import re
import shlex
import subprocess
from collections.abc import AsyncIterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from bot.blocks.command_names import NAMING, renamed
from bot.dispatch.commands import COMMANDS
from bot.installations.pages import installed_page
from bot.playground.manifest import read_manifest
from tests.installations.builders import an_installation
from tests.loops import loop_over
from tests.whole.harness import Harness, running_bot, running_stand_ins
from tests.whole.test_home import opened

ROOT = Path(__file__).parents[2]
BARE = re.compile(rf"(?<![\w./-])/(?:{'|'.join(name[1:] for name in COMMANDS)})\b")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    """What the guide's command makes of the manifest."""
    guide = (ROOT / "docs/operators.md").read_text()
    command = next(line for line in guide.splitlines() if line.startswith("sed") and "dt-" in line)
    path = tmp_path / "manifest.yml"
    path.write_bytes(subprocess.check_output(shlex.split(command), cwd=ROOT))
    return path


@pytest.fixture
async def prefixed(tmp_path: Path, manifest: Path) -> AsyncIterator[Harness]:
    """A bot with the prefix of the guide, and an app with that manifest."""
    about = read_manifest(manifest)
    async with running_stand_ins(tmp_path, "http") as app:
        app.slack.app.settings.commands = [each.command for each in about.commands]
        app.settings = app.settings.model_copy(update={"slack_command_prefix": "dt-"})
        async with running_bot(app):
            yield app


async def test_people_type_and_read_the_names_of_the_manifest(prefixed: Harness) -> None:
    app = prefixed
    assert not BARE.search(json.dumps(app.slack.app.settings.commands))
    no_key = await app.ask(app.bob, "/dt-domains")
    for name in COMMANDS:
        said = await app.ask(app.ada, f"/dt-{name[1:]} help")
        assert said.everything.startswith(f"*/dt-{name[1:]}* ")
    await opened(app, app.ada, "dt-domaindigest")
    drawn = [
        json.dumps(call.arguments)
        for call in app.slack.calls
        if "blocks" in call.arguments or "view" in call.arguments
    ]

    assert "`/dt-domainkey`" in no_key.everything
    # What a button sends stays as it is, so that those in old messages go on working.
    read = [re.sub(r'"value": "[^"]*"', "", each) for each in drawn]
    assert len(read) > 6
    assert [BARE.findall(each) for each in read if BARE.search(each)] == []


async def test_buttons_forms_and_outside_names_stay_as_they_are(prefixed: Harness) -> None:
    app = prefixed
    key = app.account.create_key("bot")
    await app.ada.type("/dt-domainkey")
    state = await app.answer(app.ada)
    await app.ada.press(state, "Set key")
    await app.ada.submit(await app.ada.next_form(), {"API key": key})
    while "works and is saved" not in (form := await app.ada.next_form()).everything:
        pass
    app.account.add("shop.example", health=41, folder="/scan")

    listed = await app.ask(app.bob, "/dt-domains")
    await app.bob.press(listed, "Scan")
    picking = await app.bob.next_form()

    assert "`/dt-domains`" in form.everything
    assert "| /scan |" in listed.everything
    assert picking.payload["callback_id"] == "scan.pick"


@loop_over(
    ("said", "shown"),
    [
        ("<code>/domains</code>", "<code>/dt-domains</code>"),
        ("Type `/scan a.example`, or /scan.", "Type `/dt-scan a.example`, or /dt-scan."),
        ("https://a.example/scan and a/scan and /scanner", None),
        ({"text": "/scan", "value": "/scan"}, {"text": "/dt-scan", "value": "/scan"}),
        ({"type": "raw_text", "text": "/scan"}, None),
    ],
)
def test_only_what_people_read_as_a_command_is_renamed(said: Any, shown: Any) -> None:
    context = copy_context()
    context.run(NAMING.set, ("dt-", COMMANDS))

    assert context.run(renamed, said) == (shown or said)
    assert renamed(said) == said


def test_the_page_after_installing_names_them_too() -> None:
    context = copy_context()
    context.run(NAMING.set, ("dt-", COMMANDS))

    page = context.run(installed_page, an_installation())
    assert "<code>/dt-domainkey</code>" in page
