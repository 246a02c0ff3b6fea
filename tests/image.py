"""Do the Dockerfile's steps one by one where there is no Docker, and try what comes out.

`python -m tests.image`, as root. The source archive is built in a root folder of its own, to which
the machine lends its system and a Python. There the bot runs as the image's user, without
privileges, and can write nowhere: its store is a PostgreSQL.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from tests.postgres import running_postgres
from tests.release import Command, build, tried

# ruff: noqa: T201  # what it prints is for the person who builds

SYSTEM = ("bin", "dev", "etc", "lib", "lib64", "proc", "sbin", "usr")
CERTIFICATES = ("PIP_CERT", "SSL_CERT_FILE")  # where a machine has its own


@dataclass
class Image:
    """What the steps have made so far in `root`, of what is in `context`."""

    root: Path
    context: Path
    env: dict[str, str] = field(default_factory=dict)
    folder: str = "/"
    user: str = "0:0"
    words: list[str] = field(default_factory=list)
    lent: list[Path] = field(default_factory=list)

    def inside(self, *words: str, read_only: bool = False) -> Command:
        """Return the command that starts these words in the image, by its user."""
        uid, gid = self.user.split(":")
        who = ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"]
        mounts = ["mount --make-rprivate /", f"mount --bind {self.root} {self.root}"]
        mounts += [f"mount --rbind {path} {self.root}{path}" for path in self.lent]
        if read_only:
            who += ["--inh-caps=-all", "--bounding-set=-all"]
            shut = [str(self.root), *(f"{self.root}{path}" for path in self.lent)]
            mounts += [f"mount -o remount,bind,ro {path}" for path in shut]
        script = "; ".join([*mounts, f'exec chroot {self.root} "$@"'])
        start = ["unshare", "--mount", "sh", "-ec", script, "sh"]
        return [*start, *who, "env", f"--chdir={self.folder}", *words]

    def lend(self, path: Path) -> None:
        """Let a folder of the machine be seen in the image."""
        (self.root / path.relative_to("/")).mkdir(parents=True, exist_ok=True)
        self.lent.append(path)

    def _from(self, rest: str) -> None:
        version, minor = re.findall(r"^python:((\d+\.\d+)\.\d+)", rest)[0]
        self.root.mkdir()
        for path in (Path("/", name) for name in SYSTEM):
            if path.is_symlink():
                (self.root / path.name).symlink_to(path.readlink())
            elif path.exists():
                self.lend(path)
        python, prefix, has = python_of(minor)
        if not prefix.is_relative_to("/usr"):
            self.lend(prefix)
        self.env["PATH"] = "/python/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        self._do(python, "-m", "venv", "/python")
        print(f"  (this machine's Python {has} for {version})")

    def _env(self, rest: str) -> None:
        self.env |= dict(word.split("=", 1) for word in rest.split())

    def _workdir(self, rest: str) -> None:
        self.folder = rest
        Path(f"{self.root}{rest}").mkdir(parents=True)

    def _copy(self, rest: str) -> None:
        *sources, target = rest.split()
        rules = (self.context / ".dockerignore").read_text().splitlines()
        for source in sources:
            assert any(fnmatch(f"!{source}", rule) for rule in rules), f"{source} is kept out"
            copy = shutil.copytree if (self.context / source).is_dir() else shutil.copy
            copy(self.context / source, Path(f"{self.root}{self.folder}", target))

    def _run(self, rest: str) -> None:
        self._do("sh", "-ec", rest)

    def _do(self, *words: str) -> None:
        own = {name: os.environ[name] for name in CERTIFICATES if name in os.environ}
        subprocess.run(self.inside(*words), env=self.env | own | {"PIP_QUIET": "2"}, check=True)

    def _user(self, rest: str) -> None:
        self.user = rest

    def _expose(self, rest: str) -> None:
        assert rest == self.env.pop("PORT"), rest  # a free one is tried

    def _cmd(self, rest: str) -> None:
        self.words += json.loads(rest)

    _entrypoint = _cmd


def python_of(version: str) -> tuple[str, Path, str]:
    """Return such a Python of pyenv or the PATH, or this one: its path, folder, full version."""
    ask = "import sys; print(sys._base_executable, sys.base_prefix, sys.version.split()[0])"
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    found = [*map(str, pyenv), shutil.which(f"python{version}"), sys.executable]
    for python in filter(None, found):  # a name of pyenv's may lead nowhere
        said = subprocess.run([python, "-c", ask], stdout=-1, text=True, check=False).stdout
        if said:
            break
    path, prefix, full = said.split()
    return path, Path(prefix), full


def check(folder: Path) -> list[str]:
    """Build in a folder and try it; return what was seen."""
    folder.chmod(0o755)
    build(folder / "dist")
    (archive,) = (folder / "dist").glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    image = Image(folder / "image", folder / archive.name.removesuffix(".tar.gz"))
    dockerfile = (image.context / "deploy/Dockerfile").read_text().replace("\\\n", " ")
    for word, rest in re.findall(r"^([A-Z]+) +(.*)", dockerfile, re.MULTILINE):
        print(word, rest, flush=True)
        getattr(image, f"_{word.lower()}")(rest)
    write = image.inside("touch", f"{image.folder}/data/file", read_only=True)
    assert subprocess.run(write, env=image.env, check=False).returncode, "it can write"
    with running_postgres() as server, server.database() as url:
        for socket in parse_qs(urlsplit(url).query).get("host", []):
            image.lend(Path(socket))
            Path(socket).chmod(0o711)  # so that the image's user gets to it
        command = image.inside(*image.words, read_only=True)
        return asyncio.run(tried(command, folder, url, image.env))


if __name__ == "__main__":
    if os.geteuid():
        sys.exit("Run this as root: it becomes the image's user.")
    with tempfile.TemporaryDirectory() as name:
        print(*check(Path(name)), sep="\n")
