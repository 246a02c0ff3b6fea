"""Change the product in one place at a time, and see whether a test fails (docs/tests.md).

A first run notes which tests pass which lines: a change is tried with those, the quickest first.
"""

import argparse
import ast
import json
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

from tests import preloaded  # noqa: F401  # imports once what each forked run needs
from tests.postgres import GIVEN, running_postgres

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache")
OPTIONS = [
    *("-qx", "-pno:randomly", "-pno:cacheprovider", "--hypothesis-seed=1"),
    "-otimeout_method=thread",  # ends the run: an endless loop is noticed once
]
BIG = 10_000
LOGS = re.compile(r"\s*(log|logger)\.")
TOOK_S: dict[str, float] = {}
PAIRS: list[tuple[type[ast.AST], type[ast.AST]]] = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot)),
    *((ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.FloorDiv)),
]
SWAPPED: dict[type[ast.AST], Any] = dict(PAIRS) | {b: a for a, b in PAIRS} | {ast.Div: ast.Mult}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


def break_node(node: ast.AST) -> bool:
    """Put a fault into the node; return whether there is one for it."""
    match node:
        case ast.Compare(ops=[op, *others]) if type(op) in SWAPPED:
            node.ops = [SWAPPED[type(op)](), *others]
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in SWAPPED:
            node.op = SWAPPED[type(op)]()
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.If(test=ast.Name() | ast.Attribute() | ast.Call() | ast.Await()):
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.comprehension(ifs=[_, *others]):
            node.ifs = others
        case ast.Name(id=name) if name in NAMES:
            node.id = NAMES[name]
        case ast.Constant(value=bool() | int() as value) if value < BIG:
            node.value = not value if isinstance(value, bool) else value + 1
        case ast.Expr(value=ast.Await() | ast.Call()):
            node.value = ast.Constant(None)
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) not in {"None", "False"}:
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def nodes(node: ast.AST, first: int = 0) -> Iterator[tuple[ast.AST, range]]:
    """Yield what may be changed, with the lines from the start of its statement to its own."""
    first = node.lineno if isinstance(node, ast.stmt) else first
    yield node, range(first, max(first, getattr(node, "lineno", 0)) + 1)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            match child:
                case ast.Expr() | ast.If(body=[ast.Expr()], orelse=[]) if LOGS.match(
                    ast.unparse(child).rpartition("\n")[2]
                ):
                    continue
                case ast.Assign(targets=[target]) if ast.unparse(target).isupper():
                    continue
                case ast.FunctionDef(name="__repr__"):
                    continue
                case ast.keyword() if isinstance(node, ast.ClassDef):
                    continue
                case ast.AST() if name not in {"annotation", "returns", "decorator_list"}:
                    yield from nodes(child, first)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Note the lines that a test passes as its own, and how long it takes."""
    if noting := coverage.Coverage.current():
        noting.switch_context(item.nodeid)
    began = time.monotonic()
    result = yield
    TOOK_S[item.nodeid] = time.monotonic() - began
    return result


def run_tests(folder: Path, tests: list[str], limit_s: float, *, is_first: bool) -> None:
    """Run tests in a process of their own, which has all but the bot and its tests imported."""
    os.chdir(folder)
    sys.path[:] = [str(folder), *(each for each in sys.path if each not in {"", str(ROOT)})]
    for name in [each for each in sys.modules if each.partition(".")[0] in {"bot", "tests"}]:
        del sys.modules[name]
    for stream in (1, 2):
        os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    noting = coverage.Coverage("lines", source=[str(folder / "bot")], config_file=False)
    if is_first:
        noting.start()
    status = pytest.main([*OPTIONS, f"-otimeout={limit_s:.0f}", *tests], [sys.modules[__name__]])
    if is_first:
        noting.stop()
        noting.save()
        Path("took_s").write_text(json.dumps(TOOK_S))
    os._exit(status)


def do_pass(folder: Path, tests: list[str], limit_s: float, *, is_first: bool = False) -> bool:
    """Return whether these tests pass, each within this time."""
    run = multiprocessing.get_context("fork").Process(
        target=run_tests, args=(folder, tests, limit_s), kwargs={"is_first": is_first}
    )
    run.start()
    run.join()
    return run.exitcode == 0


def tests_passing(folder: Path, path: Path, lines: range) -> tuple[list[str], float]:
    """Return the tests that pass these lines, the quickest first, and a patient time limit.

    These are all tests where an import passes the lines.
    """
    took_s: dict[str, float] = json.loads((folder / "took_s").read_text())
    noted = coverage.CoverageData(str(folder / "lines"))
    noted.read()
    tests_of = noted.contexts_by_lineno(str(path))
    found = {test for line in lines for test in tests_of.get(line, [])}
    near = {test for tests in tests_of.values() for test in tests}
    wanted = found & set(took_s) if "" not in found else set(took_s)
    ordered = sorted(wanted, key=lambda test: (test not in near, took_s[test]))
    return ordered, 20 + 3 * max((took_s[test] for test in ordered), default=0)


def main() -> None:
    """Print the changes that no test notices, and a line of the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--product", nargs="+", required=True)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, running_postgres() as server:
        os.environ |= {GIVEN: server.url_of("postgres"), "PYTHONDONTWRITEBYTECODE": "1"}
        folder = Path(temporary).resolve() / "copy"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if not do_pass(folder, wanted.tests, 600, is_first=True):
            sys.exit((folder / "log").read_text())
        found = [path for name in wanted.product for path in folder.glob(name)]
        modules = sorted(each for path in found for each in [*path.rglob("*.py")] or [path])
        places = [
            (path, place, lines)
            for path in modules
            for place, (node, lines) in enumerate([*nodes(ast.parse(path.read_text()))])
            if break_node(node)
        ]
        chosen = random.Random(wanted.seed).sample(places, min(wanted.count, len(places)))
        noticed = 0
        for path, place, lines in chosen:
            text = path.read_text()
            tree = ast.parse(text)
            node, _ = [*nodes(tree)][place]
            before = ast.unparse(node)
            break_node(node)
            path.write_text(ast.unparse(tree))
            tests, limit_s = tests_passing(folder, path, lines)
            if not tests or do_pass(folder, tests, limit_s):
                where = f"{path.relative_to(folder)}:{lines[-1]}"
                sys.stdout.write(f"{where}: {before[:90]!r} -> {ast.unparse(node)[:90]!r}\n")
                sys.stdout.flush()
            else:
                noticed += 1
            path.write_text(text)
        row = f"| {' '.join(wanted.product)} | {len(places)} | {len(chosen)} | {noticed} |\n"
        sys.stdout.write(row)


if __name__ == "__main__":
    main()
