"""Time has one seam, so that tests can let it pass: who else asks for it is listed, with why."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BOT = Path(__file__).parents[1] / "bot"
CLOCKS = {
    *("time.time", "time.monotonic", "time.perf_counter", "time.sleep"),
    *("datetime.now", "datetime.utcnow", "datetime.today", "date.today"),
    *("random.random", "random.uniform", "random.randint", "random.choice"),
}
EXCEPTIONS = {
    ("process/clock.py", "time.time"): "this is the seam",
    ("app/bolt.py", "time.time"): "Bolt compares it with a clock of its own",
    ("tracker/rate_limit.py", "random.random"): "processes that were refused come apart",
    ("playground/tracker/service.py", "time.time"): "the stand-ins' own seam",
    ("playground/slack/web_api.py", "time.time"): "the stand-ins' own seam",
    ("playground/slack/delivery.py", "time.time"): "a signature is of the real time",
}


def asked(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCKS:
            yield ast.unparse(node)
        elif isinstance(node, ast.ImportFrom) and node.module in {"time", "random"}:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_readers_of_the_clock_are_listed() -> None:
    found = Counter(
        (str(path.relative_to(BOT)), name)
        for path in BOT.rglob("*.py")
        for name in asked(path.read_text())
    )

    assert found == Counter(EXCEPTIONS.keys())
