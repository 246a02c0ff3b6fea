"""Which part may import which. The tables are the architecture; change them on purpose."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.loops import loop_over

BOT = Path(__file__).parents[1] / "bot"

# The rooms of the bot, from the ground up: one imports only those before it. Kits, which know no
# feature, come first, then the features: of those, `keys` is used by all others, and `domainkey`,
# the command that sets up a workspace, uses them. The playground imports nothing of the bot, or
# one mistake would hide on both sides; only RUN starts the bot.
ROOMS = [
    *("process", "playground", "store", "tracker", "settings"),
    *("blocks", "slack", "jobs", "web", "dispatch"),
    *("access", "keys", "domains", "scans", "digests", "domainkey", "home", "installations"),
    *("ops", "app", "__main__"),
]
RUN = BOT / "playground" / "run.py"
# package -> the only rooms, beside the playground, that may import it
ONLY_IN: dict[str, set[str]] = {
    "aiohttp": {"app", "installations", "web", "ops", "slack"},
    "apscheduler": {"jobs"},
    "httpx": {"app", "tracker"},
    "procrastinate": {"jobs"},
    "prometheus_client": {"web"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "os": {"__main__", "app", "ops", "settings", "store"},  # the environment
    "slack_bolt": {"app", "dispatch", "installations", "slack", "web"},
    "slack_sdk": {"app", "dispatch", "installations", "ops", "slack", "web"},
    "stamina": {"tracker"},
    "sqlitedict": {"store"},
    "sqlite3": {"store"},
    "cryptography": {"store"},
    "tests": set(),
}
MODULES = sorted(path for path in BOT.rglob("*.py") if path.read_text().strip())


@cache
def imported_names(path: Path) -> set[str]:
    """Return every imported module as a dotted name, `from bot import x` as `bot.x`."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative one has its dots in front, and is no name that any part may import.
            names.update("." * node.level + f"{node.module}.{alias.name}" for alias in node.names)
    return names


def complaints(module: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the names that a module imports; its path is within the bot."""
    part = module.with_suffix("").parts[0]
    if part == "__init__" or BOT / module == RUN:
        return
    if part not in ROOMS:
        yield f"{module}: say in ROOMS where {part} belongs"
        return
    for name in sorted(names):
        package, child, *_ = f"{name}.".split(".")
        is_kept_for_others = part != "playground" and part not in ONLY_IN.get(package, {part})
        if name.startswith("."):
            yield f"{module}: import {name} by its absolute name"
        elif is_kept_for_others or (package == "bot" and not _may_import(part, child)):
            yield f"{module}: {part} must not import {name}"


def _may_import(part: str, other: str) -> bool:
    if other in {part, "__version__", "DISTRIBUTION"}:
        return True
    is_lower = ROOMS.index(other) < ROOMS.index(part)
    return is_lower and part != "playground" and (other != "playground" or part == "__main__")


def test_a_module_imports_only_what_its_room_may() -> None:
    wrong = [
        complaint
        for path in MODULES
        for complaint in complaints(path.relative_to(BOT), imported_names(path))
    ]

    assert len(MODULES) > 200
    assert not wrong, "\n".join(wrong)


@loop_over(
    ("module", "name", "is_wrong"),
    [
        ("blocks/text.py", "bot.tracker.health.band_of", False),
        ("blocks/text.py", "bot.blocks.builders.section", False),
        ("blocks/text.py", "bot.app.main.serve", True),
        ("blocks/text.py", "aiohttp", True),
        ("web/server.py", "aiohttp.web", False),
        ("blocks/text.py", ".blocks.section", True),
        ("playground/sandbox.py", "aiohttp", False),
        ("playground/sandbox.py", "bot.blocks.message.Message", True),
        ("app/main.py", "bot.web.server.listening", False),
        ("domains/service.py", "bot.digests.service.DigestService", True),
        ("brand_new.py", "json", True),
    ],
)
def test_a_wrong_import_is_named(module: str, name: str, is_wrong: bool) -> None:
    text = list(complaints(Path(module), {name}))

    assert bool(text) == is_wrong
    assert all(line.startswith(f"{module}: ") for line in text)


def test_only_the_entry_point_runs_the_playground() -> None:
    importers = [
        str(path.relative_to(BOT))
        for path in MODULES
        if any(name.startswith("bot.playground.run.") for name in imported_names(path))
    ]

    assert importers == ["__main__.py"]
