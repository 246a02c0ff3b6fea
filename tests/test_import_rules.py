"""Who may import whom. The two tables are the architecture; change them on purpose."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.loops import loop_over

BOT = Path(__file__).parents[1] / "bot"

# part of the bot (a top-level module or folder) -> the other parts it may import
MAY_IMPORT: dict[str, set[str]] = {
    "arguments": set(),
    "errors": set(),
    "message": set(),
    "redaction": set(),
    "patience": set(),
    "seen": {"patience", "store"},  # the store: its errors only
    "single_flight": set(),
    "tasks": set(),
    "workspace": set(),
    # Imports nothing of the bot, or one mistake would hide on both sides; only RUN starts the bot.
    "playground": set(),
    "logs": {"redaction"},
    "setting_values": {"store"},
    "settings": {"setting_values", "store"},
    "hostnames": {"errors"},
    "words": {"errors"},
    "findings": set(),
    "health": set(),
    "tracker": {"errors"},
    "store": {"errors", "workspace"},
    "keys": {"errors", "store", "workspace"},
    "kept": {"redaction", "store", "workspace"},
    "pending": {"store", "workspace"},
    "presence": {"store"},
    "connection": {"asking", "errors", "keys", "meter", "store", "tracker", "workspace"},
    "portfolio": {
        "errors",
        "hostnames",
        "patience",
        "single_flight",
        "store",
        "tracker",
        "words",
        "workspace",
    },
    "adding": {
        "errors",
        "hostnames",
        "portfolio",
        "single_flight",
        "tracker",
        "words",
        "workspace",
    },
    "digests": {
        "asking",
        "connection",  # its errors only: each of them means something for a run
        "errors",
        "health",
        "keys",
        "message",
        "portfolio",
        "slack",  # its errors only, likewise
        "store",
        "tasks",
        "tracker",
        "workspace",
    },
    "scans": {"errors", "findings", "portfolio", "single_flight", "store", "tracker", "workspace"},
    "admin": {
        "connection",
        "errors",
        "keys",
        "message",
        "portfolio",
        "redaction",
        "single_flight",
        "slack",  # its errors only: some of them mean that telling goes on later
        "store",
        "tasks",
        "tracker",  # its errors only
        "workspace",
    },
    "installations": {
        "errors",
        "message",
        "seen",
        "single_flight",
        "slack",
        "store",
        "tasks",
        "workspace",
    },
    "asking": {"workspace"},
    "meter": {"asking", "workspace"},
    "metrics": {"single_flight"},  # none of the parts that it measures: they call what they get
    "sharing": {
        "asking",
        "meter",
        "patience",
        "single_flight",
        "slack",  # who remembers its waits
        "store",
        "tasks",
        "tracker",
        "workspace",
    },
    "allowance": {"keys", "meter", "store", "tracker", "workspace"},
    "homes": {"store", "tasks", "workspace"},
    "engine": {"errors", "store", "workspace"},
    "slack": {"errors", "message", "single_flight", "workspace"},
    "views": {
        "adding",
        "admin",  # its data and errors
        "allowance",
        "asking",  # its data only
        "connection",
        "digests",
        "errors",
        "findings",
        "health",
        "hostnames",
        "installations",  # its data only
        "keys",
        "message",
        "meter",  # likewise
        "portfolio",
        "redaction",
        "scans",
        "slack",  # its errors and lists only
        "store",  # likewise
        "tracker",
        "words",
    },
    "listeners": {
        "adding",
        "admin",
        "allowance",
        "asking",
        "connection",
        "digests",
        "errors",
        "homes",
        "hostnames",
        "installations",
        "kept",
        "keys",
        "message",
        "meter",
        "pending",
        "portfolio",
        "presence",
        "redaction",
        "scans",
        "seen",
        "slack",
        "store",  # its errors only
        "tasks",
        "tracker",
        "views",
        "words",
        "workspace",
    },
    "operating": {
        "admin",
        "digests",
        "installations",
        "portfolio",
        "redaction",
        "slack",
        "store",
        "tracker",
        "views",  # what the form of a digest takes, so that its file takes the same
        "words",
        "workspace",
    },
    "web": {"patience", "seen", "single_flight"},
    "socket_mode": {"seen"},
}
# The composition root and the entry point may import everything.
ROOTS = {
    "__init__",
    "__main__",
    "app",
    "commons",
    "door",
    "ground",
    "lifecycle",
    "measuring",
    "diagnosis",
    "features",
    "home",
    "house",
    "office",
    "operate",
    "parts",
    "periodic",
    "storage",
    "workspaces",
}
RUN = BOT / "playground" / "run.py"
# package -> the only parts, beside the roots and the playground, that may import it
ONLY_IN: dict[str, set[str]] = {
    "aiohttp": {"slack", "web"},
    "apscheduler": {"engine"},
    "httpx": {"tracker"},
    "procrastinate": {"engine"},
    "prometheus_client": {"metrics"},
    "psycopg": {"store"},
    "psycopg_pool": {"store"},
    "os": {"settings", "store"},  # the store: file descriptors and their modes, no environment
    "slack_bolt": {"installations", "listeners", "slack", "socket_mode", "web"},
    "slack_sdk": {"installations", "listeners", "slack", "socket_mode", "web"},
    "stamina": {"tracker"},
    "sqlitedict": {"store"},
    "sqlite3": {"store"},
    "cryptography": {"store"},
    "tests": set(),
    "yaml": {"operating"},
}
MODULES = sorted(path for path in BOT.rglob("*.py") if path.read_text().strip())


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
    if part in ROOTS or BOT / module == RUN:
        return
    if part not in MAY_IMPORT:
        yield f"{module}: say in MAY_IMPORT what {part} may import"
        return
    for name in sorted(names):
        package, child, *_ = f"{name}.".split(".")
        is_kept_for_others = part != "playground" and part not in ONLY_IN.get(package, {part})
        is_of_another_part = package == "bot" and child not in MAY_IMPORT[part] | {part}
        if name.startswith("."):
            yield f"{module}: import {name} by its absolute name"
        elif is_kept_for_others or is_of_another_part:
            yield f"{module}: {part} must not import {name}"


def test_a_module_imports_only_what_its_part_may() -> None:
    wrong = [
        complaint
        for path in MODULES
        for complaint in complaints(path.relative_to(BOT), imported_names(path))
    ]

    assert len(MODULES) > 300
    assert not wrong, "\n".join(wrong)


@loop_over(
    ("module", "name", "is_wrong"),
    [
        ("views/text.py", "bot.message.Message", False),
        ("views/text.py", "bot.views.blocks.section", False),
        ("views/text.py", "bot.app.serve", True),
        ("views/text.py", "aiohttp", True),
        ("web/slack.py", "aiohttp.web", False),
        ("views/text.py", ".blocks.section", True),
        ("playground/town.py", "aiohttp", False),
        ("playground/town.py", "bot.message.Message", True),
        ("app.py", "bot.anything", False),
        ("brand_new.py", "json", True),
    ],
)
def test_a_wrong_import_is_named(module: str, name: str, is_wrong: bool) -> None:
    told = list(complaints(Path(module), {name}))

    assert bool(told) == is_wrong
    assert all(line.startswith(f"{module}: ") for line in told)


def test_only_the_entry_point_runs_the_playground() -> None:
    importers = [
        str(path.relative_to(BOT))
        for path in MODULES
        if any(name.startswith("bot.playground.run.") for name in imported_names(path))
    ]

    assert importers == ["__main__.py"]
