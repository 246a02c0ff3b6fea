"""Do the Dockerfile's steps one by one where there is no Docker, and try what comes out.

`python -m tests.image`, as root. What is built is the unpacked source archive, in a root folder of
its own, in which the machine lends its system and a Python. The bot runs there as the image's user,
without privileges, and can write nowhere: its store is a PostgreSQL. The base image's own system
and what Docker itself does are not tried.
"""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.postgres import running_postgres
from tests.release import Command, build, tried

DOCKERFILE = "deploy/Dockerfile"
SYSTEM = ("bin", "dev", "etc", "lib", "lib64", "proc", "sbin", "usr")
INHERITED = ("PIP_CERT", "SSL_CERT_FILE")  # where a machine has its own


@dataclass
class Image:
    """What the steps have made so far in `root`, of what is in `context`."""

    root: Path
    context: Path
    env: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0:0"
    entry: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    lent: list[Path] = field(default_factory=list)

    def step(self, instruction: str, rest: str) -> None:
        """Do one instruction. Raises: AttributeError: it is not known here."""
        getattr(self, f"_{instruction.lower()}")(rest)

    def inside(self, *words: str, read_only: bool = False) -> Command:
        """Return the command that starts these words in the image, by its user."""
        uid, _, gid = self.user.partition(":")
        who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"]
        caps = ["--inh-caps=-all", "--bounding-set=-all"] if read_only else []
        mounts = [f"mount --bind {self.root} {self.root}"]
        mounts += [f"mount --rbind {path} {self.root}{path}" for path in self.lent]
        if read_only:
            shut = [str(self.root), *(f"{self.root}{path}" for path in self.lent)]
            mounts += [f"mount -o remount,bind,ro {path}" for path in shut]
        script = "; ".join(["mount --make-rprivate /", *mounts, f'exec chroot {self.root} "$@"'])
        start = ["unshare", "--mount", "sh", "-ec", script, "sh"]
        return [*start, *who, *caps, "env", f"--chdir={self.folder}", *words]

    def lend(self, path: Path) -> None:
        """Let a folder of the machine be seen in the image."""
        (self.root / path.relative_to("/")).mkdir(parents=True, exist_ok=True)
        self.lent.append(path)

    def _from(self, rest: str) -> None:
        wanted = re.match(r"python:((\d+\.\d+)\.\d+)", rest)
        assert wanted, rest
        self.root.mkdir()
        for path in (Path("/", name) for name in SYSTEM):
            if path.is_symlink():
                (self.root / path.name).symlink_to(path.readlink())
            elif path.exists():
                self.lend(path)
        python, prefix, version = python_of(wanted[2])
        if not prefix.is_relative_to("/usr"):
            self.lend(prefix)
        self.env["PATH"] = "/python/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        self._do(python, "-m", "venv", "/python")
        say(f"  (this machine's Python {version} for {wanted[1]})")

    def _env(self, rest: str) -> None:
        self.env |= dict(word.split("=", 1) for word in shlex.split(rest))

    def _workdir(self, rest: str) -> None:
        self.folder = rest
        Path(f"{self.root}{rest}").mkdir(parents=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        rules = (self.context / ".dockerignore").read_text().splitlines()
        sent = [rule[1:] for rule in rules if rule.startswith("!")]
        for source in sources:
            assert any(fnmatch(source, rule) for rule in sent), f"{source} is not sent"
            copy = shutil.copytree if (self.context / source).is_dir() else shutil.copy
            copy(self.context / source, Path(f"{self.root}{self.folder}", target))

    def _run(self, rest: str) -> None:
        self._do("sh", "-ec", rest)

    def _do(self, *words: str) -> None:
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        env = self.env | inherited | {"PIP_QUIET": "2"}
        subprocess.run(self.inside(*words), env=env, check=True)

    def _user(self, rest: str) -> None:
        self.user = rest

    def _expose(self, rest: str) -> None:
        assert rest == self.env["PORT"], rest

    def _entrypoint(self, rest: str) -> None:
        self.entry = json.loads(rest)

    def _cmd(self, rest: str) -> None:
        self.words = json.loads(rest)


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)  # noqa: T201  # for the person who builds


def python_of(version: str) -> tuple[str, Path, str]:
    """Return a Python of that version, where it lies, and its full version.

    It is this one where the machine has none: of pyenv's, or on the PATH.
    """
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    ask = "import sys; print(sys._base_executable, sys.base_prefix, sys.version.split()[0])"
    for python in [*map(str, pyenv), f"python{version}", sys.executable]:
        if shutil.which(python):
            said = subprocess.run([python, "-c", ask], stdout=-1, text=True, check=False).stdout
            if said:
                path, prefix, has = said.split()
                return path, Path(prefix), has
    raise LookupError(version)


def steps(dockerfile: str) -> list[tuple[str, str]]:
    """Return each instruction with what follows it."""
    lines = [line for line in dockerfile.splitlines() if line and not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, rest in (line.split(None, 1) for line in joined.splitlines())]


def check(folder: Path) -> Sequence[str]:
    """Build in a folder and try it; return what was seen."""
    build(folder / "dist")
    (archive,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    image = Image(folder / "image", folder / archive.name.removesuffix(".tar.gz"))
    for instruction, rest in steps((image.context / DOCKERFILE).read_text()):
        say(f"{instruction} {' '.join(rest.split())}")
        image.step(instruction, rest)
    write = image.inside("touch", f"{image.folder}/data/file", read_only=True)
    written = subprocess.run(write, env=image.env, stderr=subprocess.DEVNULL, check=False)
    assert written.returncode, "its user can write in its own folder"
    del image.env["PORT"]  # a free one
    with running_postgres() as server, server.database() as url:
        for socket in parse_qs(urlsplit(url).query).get("host", []):
            image.lend(Path(socket))
            Path(socket).chmod(0o711)  # so that the image's user gets to it
        command = image.inside(*image.entry, *image.words, read_only=True)
        return asyncio.run(tried(command, folder, url, image.env))


if __name__ == "__main__":
    if os.geteuid():
        sys.exit("Run this as root: it becomes the image's user.")
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        say(*check(Path(name)))
