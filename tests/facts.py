"""Print what the code's shape is, to compare before and after a change: `make facts`."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOT = ROOT / "bot"
# The composition root imports everything, and is no hub.
ROOTS = {"app", "__main__"}
Tree = ast.Module


def modules(folder: Path) -> dict[Path, Tree]:
    """Return the syntax trees of the modules below a folder."""
    return {path: ast.parse(path.read_text()) for path in sorted(folder.rglob("*.py"))}


def lines_of(paths: Iterator[Path]) -> int:
    return sum(path.read_text().count("\n") for path in paths)


def imported(tree: Tree, known: set[str]) -> set[str]:
    """Return the modules of the bot that a module imports."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{each.name}" for each in node.names}
            found |= {name if name in known else node.module for name in whole} & known
    return found


def is_joined(tree: Tree) -> bool:
    """Return whether three or more assignments follow the first class or function."""
    body = list(tree.body)
    defined = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    first = next((at for at, node in enumerate(body) if isinstance(node, defined)), len(body))
    return sum(isinstance(node, ast.Assign | ast.AnnAssign) for node in body[first:]) >= 3


def passed_functions(trees: dict[Path, Tree]) -> str:
    """Return how many lambdas, partials and fields that are functions 1,000 lines have."""
    found: Counter[str] = Counter(lambdas=0, partials=0, fields=0)
    for tree in trees.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda):
                found["lambdas"] += 1
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "partial":
                found["partials"] += 1
            elif isinstance(node, ast.ClassDef):
                fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
                found["fields"] += sum("Callable" in ast.unparse(each) for each in fields)
    texts = (line for path in trees for line in path.read_text().splitlines())
    code = sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in texts)
    return " · ".join(f"{1000 * count / code:.1f}" for count in found.values())


def is_named(test: Path) -> bool:
    """Return whether a test's file is called as a module, or as a topic of a module."""
    name, room = test.stem.removeprefix("test_"), test.relative_to(ROOT / "tests").parts[0]
    # Those of listeners are of several rooms.
    folder = BOT if room == "listeners" else BOT / room
    stems = {path.stem for path in folder.rglob("*.py")}
    return any(f"{name}_".startswith(f"{stem}_") for stem in stems)


def main() -> None:
    """Print one fact a line."""
    everything = modules(BOT)
    product = {path: tree for path, tree in everything.items() if "playground" not in path.parts}
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in product}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    uses = {name: imported(product[path], set(names)) for name, path in names.items()}
    rooms = {name: name.split(".")[1] for name in names if "." in name}
    arrows = {
        (rooms[name], rooms[other])
        for name in rooms
        for other in uses[name] - {"bot"}
        if rooms[name] != rooms[other]
    }
    hubs = Counter({name: len(uses[name]) for name in rooms if rooms[name] not in ROOTS})
    tests = sorted((ROOT / "tests").rglob("*.py"))
    of_rooms = [
        path
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.relative_to(ROOT / "tests").parts[0]
        in {*rooms.values(), "listeners", "playground"}
    ]
    other = [path for path in of_rooms if not is_named(path)]
    prose = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    facts = {
        "product, playground, tests, lines": (
            f"{lines_of(iter(product)):,}, {lines_of(iter(everything.keys() - product.keys())):,},"
            f" {lines_of(iter(tests)):,}"
        ),
        "documents, words": f"{sum(len(path.read_text().split()) for path in prose):,}",
        "rooms, arrows between them": f"{len(set(rooms.values()))}, {len(arrows)}",
        "most imports of ours": ", ".join(f"{name} {n}" for name, n in hubs.most_common(3)),
        "modules of three or more late assignments": sum(map(is_joined, product.values())),
        "lambdas · partials · fields that are functions, per 1,000 lines": passed_functions(
            product
        ),
        "test files with a name that is no module's": f"{len(other)} of {len(of_rooms)}",
        "test codes such as m22": len(
            re.findall(r"def test_[a-z]\d+_", "".join(path.read_text() for path in tests))
        ),
    }
    for name, value in facts.items():
        sys.stdout.write(f"{name}: {value}\n")


if __name__ == "__main__":
    main()
