"""Build what is published of a version, and try it as somebody who has nothing else.

`python -m tests.release` writes into `dist/`: the wheel, the source archive, the bill of
materials, checksums, and the text of the tag. Run it by `make release`, after all tests.
"""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from bot import DISTRIBUTION, __version__
from tests.supply import ROOT, bill_of_materials
from tests.whole.digests import make, next_digest, open_list, press_in
from tests.whole.harness import Harness, until_ready
from tests.whole.test_process import environment, stand_ins_in_real_time

DIST = ROOT / "dist"
STOPS_WITHIN_S = 28

Command = Sequence[str | Path]


def notes(changelog: str, version: str) -> str:
    """Return what the changelog says of a version; raise LookupError unless it is the first."""
    _, first, *_ = re.split(r"^## ", changelog, flags=re.MULTILINE)
    heading, _, said = first.partition("\n")
    if not re.fullmatch(rf"{re.escape(version)} - \d{{4}}-\d\d-\d\d", heading):
        raise LookupError(f"CHANGELOG.md does not begin with {version} and its date")
    return said.strip()


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    """Run a command outside this process; return what it prints."""
    return subprocess.run([*map(str, words)], cwd=cwd, check=True, text=True, stdout=-1).stdout


def build(folder: Path = DIST) -> Path:
    """Write wheel and source archive; return the wheel, which was built from the archive."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "uv", "build", "--quiet", "--out-dir", folder)
    (wheel,) = folder.glob("*.whl")
    (archive,) = folder.glob("*.tar.gz")
    name = f"{DISTRIBUTION.replace('-', '_')}-{__version__}"
    assert wheel.name == f"{name}-py3-none-any.whl", wheel
    assert archive.name == f"{name}.tar.gz", archive
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """Install the wheel, then the packages it pins, in an empty environment; return its Python."""
    run(sys.executable, "-m", "venv", folder / "venv")
    python = folder / "venv/bin/python"
    pip = (python, "-m", "pip", "install", "--quiet")
    run(*pip, "--no-deps", "--no-index", wheel)
    share = folder / "venv/share" / DISTRIBUTION
    run(*pip, "--require-hashes", "-r", share / "requirements-build.txt")
    run(*pip, "--require-hashes", "--no-build-isolation", "-r", share / "requirements.txt")
    run(python, "-m", "pip", "check")
    return python


async def tried(
    command: Command, folder: Path, transport: str = "socket", more: Mapping[str, str] = {}
) -> list[str]:
    """Let a bot start, answer, post a digest, judge itself, and stop; return what was seen.

    `command` starts it and takes further words, `transport` is that of `settings_for`, and `more`
    is set in its environment.
    """
    async with stand_ins_in_real_time(folder, transport) as app:
        env = {**environment(app), **more}
        del env["PYTHONPATH"]
        version = await _said(command, folder, env, "--version")
        assert version == f"{__version__}\n", version
        if app.settings.is_shared:
            await _said(command, folder, env, "migrate")
        with (folder / "bot.log").open("wb") as log:
            bot = await asyncio.create_subprocess_exec(*command, env=env, cwd=folder, stderr=log)
            try:
                done = await _used(app)
                doctor = await _said(command, folder, env, "doctor")
                begun = time.monotonic()
                bot.send_signal(signal.SIGTERM)
                status = await bot.wait()
            except BaseException as error:
                error.add_note((folder / "bot.log").read_text()[-3000:])
                raise
            finally:
                if bot.returncode is None:
                    bot.kill()
    took_s = time.monotonic() - begun
    assert status == 0, status
    assert took_s < STOPS_WITHIN_S, took_s
    return [*done, *doctor.splitlines(), f"stopped with status 0 after {took_s:.1f} s"]


async def _used(app: Harness) -> list[str]:
    await until_ready(app)
    app.account.add("shop.example", health=41)
    await app.connect()
    listed = await app.ask(app.bob, "/domains")
    assert "shop.example" in listed.everything
    await make(app)
    await press_in(app.bob, await open_list(app, app.bob), "Send now")
    digest = await next_digest(app)
    assert "shop.example" in digest.everything
    return ["started, and took a key", "answered /domains", "posted a digest"]


async def _said(command: Command, folder: Path, env: dict[str, str], *words: str) -> str:
    asked = await asyncio.create_subprocess_exec(
        *command, *words, env=env, cwd=folder, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asked.communicate()
    assert asked.returncode == 0, out.decode()
    return out.decode()


def release() -> list[str]:
    """Build and try everything; return what was seen."""
    said = notes((ROOT / "CHANGELOG.md").read_text(), __version__)
    wheel = build()
    with tempfile.TemporaryDirectory() as name:
        python = installed(wheel, Path(name))
        seen = asyncio.run(tried([python, "-m", "bot"], Path(name)))
    bill = json.dumps(bill_of_materials(), indent=2)
    (DIST / f"{DISTRIBUTION}-{__version__}.cdx.json").write_text(f"{bill}\n")
    published = sorted(path for path in DIST.iterdir() if not path.name.startswith("."))
    sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in published]
    (DIST / "SHA256SUMS").write_text("".join(sums))
    (DIST / "tag.txt").write_text(f"Domain Tracker for Slack {__version__}\n\n{said}\n")
    tag = f"git tag --annotate --cleanup=verbatim --file=dist/tag.txt v{__version__}"
    return [*seen, *(path.name for path in published), f"next: {tag}"]


if __name__ == "__main__":
    print(*release(), sep="\n")  # noqa: T201  # for the person who releases
