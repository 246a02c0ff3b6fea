"""A YAML file looked into place by place, each with its line, so that problems can be named. Pure.

Only what a list of settings needs: no anchors, no tags, no second document, nothing given twice.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import yaml

from bot.operating.printing import shown

T = TypeVar("T")

MAX_DEPTH = 12
MAX_FILE_BYTES = 10_000_000
NULL = "tag:yaml.org,2002:null"


class FileProblemsError(Exception):
    """The file cannot be taken as it is; `problems` has a line for each reason, with its place."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} problems in the file")


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of the file. What is wrong there goes to `problems`, which all places share.

    Each problem is the number of its line, and what is to be said.
    """

    node: yaml.Node
    path: str
    problems: list[tuple[int, str]]

    def fail(self, said: str) -> None:
        """Note that something is wrong here."""
        line = self.node.start_mark.line + 1
        where = f", {self.path}" if self.path else ""
        self.problems.append((line, f"line {line}{where}: {said}"))

    def require_right(self) -> None:
        """Raise FileProblemsError, in the order of the lines, unless all places are right."""
        if self.problems:
            in_order = sorted(self.problems, key=lambda problem: problem[0])
            raise FileProblemsError([said for _, said in in_order])

    @property
    def is_null(self) -> bool:
        """Whether nothing stands here, or `null`."""
        return self.node.tag == NULL

    @property
    def is_list(self) -> bool:
        """Whether a list stands here."""
        return isinstance(self.node, yaml.SequenceNode)

    @property
    def is_group(self) -> bool:
        """Whether a group of fields stands here."""
        return isinstance(self.node, yaml.MappingNode)

    def fields(self, needed: Collection[str], optional: Collection[str]) -> dict[str, "Spot"]:
        """Return the fields by name; note those that are missing, unknown or given twice.

        A needed one that is null is missing too, and not returned.
        """
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("must be a group of fields")
            return {}
        found: dict[str, Spot] = {}
        for name_node, value in self.node.value:
            name = name_node.value if isinstance(name_node, yaml.ScalarNode) else "?"
            spot = Spot(value, f"{self.path}.{shown(name, 40)}".lstrip("."), self.problems)
            if name not in (*needed, *optional):
                Spot(name_node, spot.path, self.problems).fail("there is no such field")
            elif name in found:
                Spot(name_node, spot.path, self.problems).fail("is given twice")
            else:
                found[name] = spot
        for name in needed:
            if name not in found or found[name].is_null:
                found.pop(name, self).fail(f'"{name}" is missing')
        return found

    def items(self) -> list["Spot"]:
        """Return what stands in the list here."""
        if not isinstance(self.node, yaml.SequenceNode):
            self.fail("must be a list")
            return []
        children = enumerate(self.node.value)
        return [Spot(child, f"{self.path}[{place}]", self.problems) for place, child in children]

    def taken(self, take: Callable[[str], T]) -> T | None:
        """Return what `take` makes of the text here; note what its ValueError says, and `None`."""
        if not isinstance(self.node, yaml.ScalarNode) or self.is_null:
            self.fail("must be a word, a number or text")
            return None
        try:
            return take(self.node.value)  # as it was written: `10:30` is no number of seconds
        except ValueError as error:
            self.fail(str(error))
            return None


def file_spot(raw: bytes) -> Spot:
    """Return the outermost place of a file.

    Raises:
        FileProblemsError: it is no YAML, or more than a list of settings needs.
    """
    if len(raw) > MAX_FILE_BYTES:
        raise FileProblemsError([f"the file is larger than {MAX_FILE_BYTES:,} bytes"])
    try:
        text = raw.decode("utf-8-sig")
        _require_plain(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except UnicodeDecodeError:
        raise FileProblemsError(["the file is no text in UTF-8"]) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise FileProblemsError([f"line {line}: {shown(error.problem or 'no YAML')}"]) from None
    except yaml.YAMLError as error:
        raise FileProblemsError([f"no YAML: {shown(str(error))}"]) from None
    if node is None:
        raise FileProblemsError(["the file is empty"])
    return Spot(node, "", [])


def _require_plain(text: str) -> None:
    """Walk over the file before it is built: it must not grow, nor nest without end."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        said = ""
        if isinstance(event, yaml.NodeEvent) and (event.anchor or getattr(event, "tag", None)):
            said = "anchors, aliases and tags are not part of this file"
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if depth > MAX_DEPTH:
            said = "nested too deeply"
        if documents > 1:
            said = "there is a second document"
        if said:
            line = event.start_mark.line + 1 if event.start_mark else 1
            raise FileProblemsError([f"line {line}: {said}"])
