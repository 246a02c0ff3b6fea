"""Change the product in one place at a time, and see whether a test fails.

`python -m tests.mutation --product bot/digests --tests tests/digests --count 30` prints each
change that no test of these folders has noticed. It takes as long as so many runs of the tests.
"""

import argparse
import ast
import copy
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")
TIME_LIMIT_S = 180
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
}


def break_node(node: ast.AST) -> bool:
    """Put a fault into the node; return whether there is one for it."""
    match node:
        case ast.Compare(ops=[op, *others]) if type(op) in SWAPPED:
            node.ops = [SWAPPED[type(op)](), *others]  # type: ignore[list-item]  # operators too
        case ast.BoolOp(op=op) | ast.BinOp(op=op) if type(op) in SWAPPED:
            node.op = SWAPPED[type(op)]()  # type: ignore[assignment]  # an operator of its kind
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            node.operand = ast.UnaryOp(ast.Not(), operand)
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(number)):
            node.value = number + 1
        case ast.Expr(value=ast.Await()):
            node.value = ast.Constant(None)
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def places_in(path: Path) -> list[tuple[Path, int]]:
    """Return the nodes of a module that can be broken, by their places in `ast.walk`."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [(path, place) for place, node in enumerate(nodes) if break_node(copy.deepcopy(node))]


def broken(text: str, place: int) -> tuple[str, str]:
    """Return the module with that node broken, and what was changed."""
    tree = ast.parse(text)
    node = [*ast.walk(tree)][place]
    before = ast.unparse(node)
    break_node(node)
    line = getattr(node, "lineno", 0)
    return ast.unparse(tree), f"{line}: {before[:70]!r} -> {ast.unparse(node)[:70]!r}"


def is_noticed(folder: Path, tests: list[str]) -> bool:
    """Return whether a test fails, or never ends."""
    command = [sys.executable, "-m", "pytest", "-qx", "-n0", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main() -> None:
    """Print the changes that went unnoticed, and how many of all were noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--product", nargs="+", required=True)
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "copy"
        shutil.copytree(ROOT, folder, ignore=LEFT_OUT)
        if is_noticed(folder, wanted.tests):
            sys.exit("the tests fail without any change")
        found = [path for name in wanted.product for path in sorted(folder.glob(name))]
        modules = [each for path in found for each in [*path.rglob("*.py")] or [path]]
        places = [place for path in modules for place in places_in(path)]
        chosen = random.Random(wanted.seed).sample(places, min(wanted.count, len(places)))
        noticed = 0
        for path, place in chosen:
            text = path.read_text()
            changed, what = broken(text, place)
            path.write_text(changed)
            if is_noticed(folder, wanted.tests):
                noticed += 1
            else:
                sys.stdout.write(f"not noticed: {path.relative_to(folder)}:{what}\n")
                sys.stdout.flush()
            path.write_text(text)
        sys.stdout.write(f"{noticed} of {len(chosen)} changes noticed; {len(places)} possible\n")


if __name__ == "__main__":
    main()
