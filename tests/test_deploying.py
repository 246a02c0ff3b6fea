"""What platforms are given: every command exists, every setting is one of ours."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from bot import DISTRIBUTION
from bot.__main__ import parser
from bot.app.main import FINISH_WITHIN_S
from bot.dispatch.commands import COMMANDS
from bot.dispatch.error_boundary import TOLD_WITHIN_S
from bot.jobs.queue import HAND_BACK_WITHIN_S
from bot.playground.manifest import read_manifest
from bot.settings import Settings
from tests.loops import loop_over
from tests.whole.harness import RING

ROOT = Path(__file__).parents[1]
# Connections: https://devcenter.heroku.com/articles/heroku-postgres-plans#essential-tier
ESSENTIAL_0 = 20
UNITS = ["web", "worker"]
GUIDE = (ROOT / "docs/operators.md").read_text()


def procfile() -> dict[str, str]:
    lines = (ROOT / "Procfile").read_text().splitlines()
    return {name: command.strip() for name, _, command in (line.partition(":") for line in lines)}


def app_json() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "app.json").read_text())
    return found


def unit(kind: str) -> configparser.ConfigParser:
    read = configparser.ConfigParser(interpolation=None, strict=False)
    read.optionxform = str  # type: ignore[assignment,method-assign]  # systemd's names have capitals
    read.read(ROOT / f"deploy/systemd/domain-tracker-bot-{kind}@.service")
    return read


@loop_over("process", ["release", "web", "worker"])
def test_the_procfile_starts_what_there_is(process: str) -> None:
    python, flag, module, *words = shlex.split(procfile()[process])

    assert (python, flag, module) == ("python", "-m", "bot")
    assert parser().parse_args(words).command == ("migrate" if process == "release" else process)


def test_the_one_click_platform_is_asked_for_all_that_a_process_needs() -> None:
    env = app_json()["env"]
    asked = {name.lower() for name, about in env.items() if about.get("required", True)}

    assert {name.lower() for name in env} <= set(Settings.model_fields)
    given = dict.fromkeys(asked, "x") | {
        "domain_tracker_url": "https://tracker.example",
        "bot_secret_keys": SecretStr(RING),
        "metrics_token": SecretStr("m" * 64),
        "database_url": "postgres://u:p@db.example:5432/d",
        "slack_bot_token": SecretStr("xoxb-1"),  # or the three of OAuth: either is optional
    }
    assert Settings(**given).is_shared  # type: ignore[arg-type]  # of several types


def test_the_one_click_platform_has_both_processes_and_connections_for_two_of_each() -> None:
    """Old and new ones may overlap during a release."""
    found = app_json()
    env, formation = found["env"], found["formation"]

    assert set(formation) == set(procfile()) - {"release"}
    assert "heroku-postgresql:essential-0" in found["addons"]
    each = int(env["DATABASE_POOL_SIZE"]["value"])
    assert 2 * len(formation) * each <= ESSENTIAL_0


@loop_over("kind", UNITS)
def test_a_unit_starts_its_process_and_waits_for_its_end(kind: str) -> None:
    service = unit(kind)["Service"]

    words = shlex.split(service["ExecStart"])
    assert words[1:3] == ["-m", "bot"]
    assert parser().parse_args(words[3:]).command == kind
    longest_s = FINISH_WITHIN_S + HAND_BACK_WITHIN_S + TOLD_WITHIN_S
    assert float(service["TimeoutStopSec"]) > longest_s


@loop_over("kind", UNITS)
def test_a_unit_listens_on_this_machine_alone(kind: str) -> None:
    assert "HOST=127.0.0.1" in unit(kind)["Service"]["Environment"]


def test_the_image_is_made_of_what_is_pinned() -> None:
    text = (ROOT / "deploy/Dockerfile").read_text()

    assert re.search(r"^FROM python:\S+@sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    installed = re.findall(r"pip install .*", text)
    assert all("--require-hashes" in each for each in installed)
    assert "--no-build-isolation" in installed[-1]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "deploy/systemd").glob("*.service")), ids=lambda path: path.name
)
def test_every_unit_is_shut_in(path: Path) -> None:
    lines = path.read_text().splitlines()
    settings = set(lines)

    assert settings >= {
        "PrivateDevices=yes",
        "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6",
        "SystemCallFilter=@system-service",
        "UMask=0077",
    }
    limits = [line for line in lines if line.startswith("LimitNOFILE=")]  # the last one holds
    assert limits == ([] if "Type=oneshot" in settings else ["LimitNOFILE=65536"])


def test_the_command_of_the_guide_makes_a_manifest_for_socket_mode() -> None:
    command, _ = re.findall(r"^sed .*$", GUIDE, re.MULTILINE)
    printed = subprocess.check_output(shlex.split(command), cwd=ROOT, text=True)

    lines = (ROOT / "manifest.yml").read_text().splitlines()
    off, on = "  socket_mode_enabled: false", "  socket_mode_enabled: true"
    wanted = [on if line == off else line for line in lines if "/slack/events" not in line]
    assert on in wanted
    assert printed.splitlines() == wanted


def test_slack_takes_the_manifest_in_each_form_of_the_guide(tmp_path: Path) -> None:
    """What it takes is in `bot/playground/blockkit/tables.yaml`, with Slack's pages."""
    path = tmp_path / "manifest.yml"
    forms = [shlex.split(command) for command in re.findall(r"^sed .*$", GUIDE, re.MULTILINE)]

    assert len(forms) == 2
    for form in [["cat", "manifest.yml"], *forms]:
        path.write_bytes(subprocess.check_output(form, cwd=ROOT))
        assert len(read_manifest(path).commands) == len(COMMANDS)
        assert len(read_manifest(path, reads_messages=True).scopes) == 10


def test_every_command_of_the_guide_exists() -> None:
    named = set(re.findall(r"python -m bot ([a-z][a-z-]+)", GUIDE))
    assert {"migrate", "web", "worker", "doctor", "backup", "restore", "rotate-secrets"} <= named
    for each in named:
        words = [each, "FILE"] if each in {"backup", "restore", "explain"} else [each]
        assert parser().parse_args(words).command == each


def test_the_wheel_brings_what_the_guide_needs_beside_the_bot() -> None:
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]
    brought = wheel["wheel"]["shared-data"]
    install = GUIDE[GUIDE.index("### Start") : GUIDE.index("### Any number")]

    assert set(re.findall(r"requirements\S*\.txt|\.env\.example", install)) < set(brought)
    assert {"manifest.yml", "deploy/systemd"} < set(brought)
    assert all((ROOT / path).exists() for path in brought)
    assert {to.removesuffix(path) for path, to in brought.items()} == {f"share/{DISTRIBUTION}/"}
    assert f"cp -r .venv/share/{DISTRIBUTION}/. ." in GUIDE


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not here")
@loop_over(
    ("right", "wrong", "named"),
    [
        ("", "", ""),
        ("TimeoutStopSec=", "TimeoutStopSek=", "TimeoutStopSek"),
        ("LockPersonality=yes", "LockPersonality=on top", "on top"),
    ],
)
def test_systemd_takes_the_units_and_would_name_what_is_wrong(
    tmp_path_factory: pytest.TempPathFactory, right: str, wrong: str, named: str
) -> None:
    folder, python = tmp_path_factory.mktemp("units"), "/opt/domain-tracker-bot/.venv/bin/python"
    for path in (ROOT / "deploy/systemd").iterdir():
        text = path.read_text().replace(python, sys.executable)
        (folder / path.name).write_text(text.replace(right, wrong))
    verify = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"]

    said = subprocess.run([*verify, *folder.iterdir()], stderr=subprocess.PIPE, check=False).stderr

    assert named in said.decode()
    assert bool(named) == bool(said), said.decode()
