"""Which part may import which. The tables are the architecture; change them on purpose."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.loops import loop_over

BOT = Path(__file__).parents[1] / "bot"

# The parts of the bot (a top-level module or package), from the ground up: a part imports only
# parts of lower layers. The playground imports nothing of the bot, or one mistake would hide on
# both sides; only RUN starts the bot.
LAYERS: list[set[str]] = [
    {"clock"},
    {
        *("backoff", "commands", "connections", "errors", "health", "message"),
        *("playground", "redaction", "workspace"),
    },
    {"command_text", "concurrency", "hostnames", "logs", "store", "tracker"},
    {
        *("admin", "deduplication", "deferred_commands"),
        *("jobs", "metrics", "portfolio", "slack"),
    },
    {"api_keys", "installations", "scans", "settings", "web"},
    {"digests", "shared_limits"},
    {"bulk_scans", "clean_up"},
    {"views"},
    {"listeners", "ops"},
    {"bootstrap"},
    {"app"},
    {"__main__"},
]
LAYER_OF = {part: number for number, parts in enumerate(LAYERS) for part in parts}
# What measures, or waits, for others gets them, and imports none of them.
INDEPENDENT = {
    "metrics": {"clock"},
    "playground": set(),
    "web": {"clock", "connections", "deduplication"},
}
RUN = BOT / "playground" / "run.py"
# package -> the only parts, beside the playground, that may import it
ONLY_IN: dict[str, set[str]] = {
    "aiohttp": {"app", "bootstrap", "connections", "metrics", "ops", "slack", "web"},
    "apscheduler": {"jobs"},
    "httpx": {"bootstrap", "tracker"},
    "procrastinate": {"jobs"},
    "prometheus_client": {"metrics"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "os": {"__main__", "app", "bootstrap", "ops", "settings", "store"},  # the environment
    "slack_bolt": {"bootstrap", "installations", "listeners", "slack", "web"},
    "slack_sdk": {"bootstrap", "installations", "listeners", "ops", "slack", "web"},
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
    if part not in LAYER_OF:
        yield f"{module}: say in LAYERS where {part} belongs"
        return
    for name in sorted(names):
        package, child, *_ = f"{name}.".split(".")
        is_kept_for_others = part != "playground" and part not in ONLY_IN.get(package, {part})
        if name.startswith("."):
            yield f"{module}: import {name} by its absolute name"
        elif is_kept_for_others or (package == "bot" and not _may_import(part, child)):
            yield f"{module}: {part} must not import {name}"


def _may_import(part: str, other: str) -> bool:
    if other in {part, "__version__"}:
        return True
    if part in INDEPENDENT and other not in INDEPENDENT[part]:
        return False
    return LAYER_OF.get(other, LAYER_OF[part]) < LAYER_OF[part]


def test_a_module_imports_only_what_its_part_may() -> None:
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
        ("blocks/text.py", "bot.blocks.message.Message", False),
        ("blocks/text.py", "bot.blocks.builders.section", False),
        ("blocks/text.py", "bot.app.main.serve", True),
        ("blocks/text.py", "aiohttp", True),
        ("web/server.py", "aiohttp.web", False),
        ("blocks/text.py", ".blocks.section", True),
        ("playground/sandbox.py", "aiohttp", False),
        ("playground/sandbox.py", "bot.blocks.message.Message", True),
        ("app/main.py", "bot.web.server.listening", False),
        ("web/server.py", "bot.store.documents.Documents", True),
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
