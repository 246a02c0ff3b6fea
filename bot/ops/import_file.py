"""Validate an export file; name every problem with its line. Pure."""

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time
from enum import Enum
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, model_validator

from bot.admin import AUDIENCE_NAMES, MAX_GROUPS, MAX_MANAGERS
from bot.command_text import NotUnderstoodError
from bot.commands import Audience
from bot.digests.models import (
    HEARTBEATS,
    MAX_FILTER_CHARS,
    MAX_RULES,
    SCANS_A_NIGHT,
    WORST_COUNTS,
    FailureReason,
    Mention,
    Mode,
    Plan,
    is_label,
    number_of,
    unusable_words,
)
from bot.digests.schedule import LOOKS, Schedule, time_of
from bot.digests.zones import is_zone
from bot.ops.export_file import ADMINS, DAYS, MEMBERS, VERSION
from bot.ops.output import shown
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.workspace import WorkspaceId

Loc = tuple[str | int, ...]
"""A place in the file: `("workspaces", 0, "team")`."""

MAX_NAME_CHARS = 200
NULL = "tag:yaml.org,2002:null"


class FileProblemsError(Exception):
    """The file is refused; each of `problems` is a line of text that names its place."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} problems in the file")


def problems_error(lines: dict[Loc, int], problems: Iterable[tuple[Loc, str]]) -> Exception:
    """Return a FileProblemsError with the problems, each at its place, in the order of `lines`.

    A place that is not in the file is named by the group that should hold it.
    """
    found = [(loc if loc in lines else loc[:-1], said) for loc, said in problems]
    found.sort(key=lambda problem: lines[problem[0]])
    return FileProblemsError([f"line {lines[loc]}{_path(loc)}: {said}" for loc, said in found])


def _path(loc: Loc) -> str:
    """Return `, workspaces[0].team`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{shown(part, 40)}" for part in loc)
    path = "".join(parts).lstrip(".")
    return f", {path}" if path else ""


def _field(take: Callable[[str], object], said: str = "") -> PlainValidator:
    """Validate text by `take`; it returns `None`, or raises ValueError, for what is wrong.

    `said` is the problem in words: `{}` stands for the text in quotes, `{text}` without.
    """

    def read(value: object) -> object:
        if not isinstance(value, str):
            raise ValueError("must be a word, a number or text")  # noqa: TRY004  # pydantic's way
        if (found := take(value)) is None:
            raise ValueError(said.format(f'"{shown(value, 60)}"', text=shown(value, 20)))
        return found

    return PlainValidator(read)


def _id(pattern: str, like: str) -> PlainValidator:
    """Validate an id by a pattern; `like` is an example of one."""
    known = re.compile(pattern)
    return _field(lambda t: t if known.fullmatch(t) else None, f"{{}} is no id like {like}")


def _member(kind: type[Enum]) -> PlainValidator:
    known = {str(each.value): each for each in kind}
    return _field(known.get, f"{{}} is not one of {', '.join(known)}")


def _number(allowed: range) -> PlainValidator:
    said = f"must be a whole number from {allowed[0]} to {allowed[-1]}"
    return _field(lambda text: number_of(text, allowed), said)


def _filter(text: str) -> str:
    text = text.strip()
    if len(text) > MAX_FILTER_CHARS:
        raise ValueError(f"a filter has at most {MAX_FILTER_CHARS} characters")
    if holds_secret(text):
        raise ValueError("there is a key or a token in it; never put one here")
    if unusable := unusable_words(text):
        word = shown(unusable[0], 60)
        raise ValueError(f'a post has neither order nor pages: leave out "{word}"')
    try:
        parse_query(text)
    except NotUnderstoodError as error:
        parts = "; ".join(f'"{shown(each.part, 60)}" {each.why}' for each in error.problems)
        raise ValueError(f"a filter that is not understood: {parts}") from None
    return text


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None


VERSIONS = _field(
    {f"{VERSION}": VERSION}.get, f"this is version {{text}} of the file; this bot reads {VERSION}"
)
EDITORS = _field({ADMINS: True, MEMBERS: False}.get, f"must be {MEMBERS} or {ADMINS}, not {{}}")
AUDIENCE = _field(AUDIENCE_NAMES.get, f"must be one of {', '.join(AUDIENCE_NAMES)}, not {{}}")
DAY = _field(
    {day: at for at, day in enumerate(DAYS)}.get, f"{{}} is no day; write {', '.join(DAYS)}"
)
LOOK = _field({f"{every}": every for every in LOOKS}.get, "must be 15, 30 or 60")
ZONE = _field(
    lambda text: text if is_zone(text) else None,
    "there is no time zone {}; write one like Europe/Berlin",
)
LABEL = _field(
    lambda text: text if is_label(text) else None,
    '{} is no tag or folder; write it like "tag:prod"',
)
NAME = _field(
    lambda text: None if len(text) > MAX_NAME_CHARS or holds_secret(text) else text,
    f"must be a name of at most {MAX_NAME_CHARS} characters",
)
Person = Annotated[str, _id(r"[UW][A-Z0-9]{1,29}", "U0123ABCD")]
UserGroup = Annotated[str, _id(r"S[A-Z0-9]{1,29}", "S0123ABCD")]
Mentioned = Annotated[str, _id(r"[UWS][A-Z0-9]{1,29}", "U0123ABCD or S0123ABCD")]
Moment = Annotated[
    datetime, _field(_moment, '{} is no moment; write it like "2026-11-20T09:00:00+00:00"')
]
TimeOfDay = Annotated[time, _field(time_of, '{} is no time; write it like "09:00"')]


class _Group(BaseModel):
    """A group of fields, named as in the file; a field that is null is not given."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {k: v for k, v in value.items() if v is not None or k not in cls.model_fields}


class WantedPause(_Group):
    """A pause; see `Pause`. `since` is `None`: as long as the store says."""

    since: Moment | None = None
    until: Moment | None = None
    by: Person | None = None
    why: Annotated[FailureReason, _member(FailureReason)] | None = None

    @model_validator(mode="after")
    def _require_cause(self) -> "WantedPause":
        if not (self.by or self.why):
            raise ValueError('needs "by", who paused it, or "why", when the bot itself has')
        return self


class WantedMention(_Group):
    """A mention rule."""

    when: Annotated[str, LABEL]
    who: Annotated[list[Mentioned], Field(min_length=1)]


class WantedDigest(_Group):
    """A digest; `made_by_name` and `made_at` are `None` where the file does not say."""

    id: Annotated[str, _id(r"[A-Za-z0-9_-]{1,40}", "3f9c0a1b2d4e")]
    channel: Annotated[str, _id(r"[CG][A-Z0-9]{1,29}", "C0123ABCD")]
    days: Annotated[list[Annotated[int, DAY]], Field(min_length=1)]
    time: TimeOfDay
    zone: Annotated[str, ZONE]
    filter: Annotated[str, _field(_filter)] = ""
    post: Annotated[Mode, _member(Mode)] = Mode.ALWAYS
    look_every: Annotated[int, LOOK] | None = None
    sign_of_life: Annotated[int, _number(HEARTBEATS)] | None = None
    worst_shown: Annotated[int, _number(WORST_COUNTS)] = 5
    scans_a_night: Annotated[int, _number(SCANS_A_NIGHT)] | None = None
    mentions: Annotated[list[WantedMention], Field(max_length=MAX_RULES)] = []
    pause: WantedPause | None = None
    made_by: Person
    made_by_name: Annotated[str, NAME] | None = None
    made_at: Moment | None = None

    @property
    def plan(self) -> Plan:
        return Plan(
            channel_id=self.channel,
            schedule=Schedule(frozenset(self.days), self.time, self.zone, self.look_every),
            filter_text=self.filter,
            mode=Mode.WORSE if self.look_every else self.post,
            heartbeat_every=self.sign_of_life,
            worst_count=self.worst_shown,
            scans_a_night=self.scans_a_night or 0,
            mentions=tuple(Mention(label=e.when, who=tuple(e.who)) for e in self.mentions),
        )


class WantedManagers(_Group):
    """Who manages the key, by id; each is `None` where the file does not say."""

    people: Annotated[list[Person], Field(max_length=MAX_MANAGERS)] | None = None
    groups: Annotated[list[UserGroup], Field(max_length=MAX_GROUPS)] | None = None


class WantedAudiences(_Group):
    """Who may add and scan domains; each is `None` where the file does not say."""

    add: Annotated[Audience, AUDIENCE] | None = None
    scan: Annotated[Audience, AUDIENCE] | None = None


class WantedWorkspace(_Group):
    """A workspace. `editors`: whether only admins change digests, `None` where it does not say."""

    team: Annotated[str, _id(r"[TE][A-Z0-9]{1,29}", "T0123ABCD")]
    organisation: Annotated[str, _id(r"E[A-Z0-9]{1,29}", "E0123ABCD")] | None = None
    managers: WantedManagers = WantedManagers()
    editors: Annotated[bool, EDITORS] | None = None
    who_may: WantedAudiences = WantedAudiences()
    digests: list[WantedDigest]

    @property
    def workspace(self) -> WorkspaceId:
        return WorkspaceId(self.team, self.organisation)


class _File(_Group):
    version: Annotated[int, VERSIONS]
    workspaces: list[WantedWorkspace]


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A valid file; `lines` holds the line of each place."""

    workspaces: list[WantedWorkspace]
    lines: dict[Loc, int]


def read_file(raw: bytes) -> WantedFile:
    """Return the content of a file; raise FileProblemsError with all its problems."""
    lines: dict[Loc, int] = {}
    problems: list[tuple[Loc, str]] = []
    try:
        value = _plain(_node(raw), (), lines, problems)
    except RecursionError:
        raise FileProblemsError(["nested too deeply"]) from None
    try:
        file = _File.model_validate(value)
    except ValidationError as error:
        problems += [(each["loc"], _said(each)) for each in error.errors(include_url=False)]
        if any(loc == ("version",) for loc, _ in problems):
            # The fields of another version mean something else.
            raise problems_error(lines, [each for each in problems if len(each[0]) <= 1]) from None
    problems += [(loc, "is there twice") for loc in _repeated(value, ())]
    if problems:
        raise problems_error(lines, problems)
    return WantedFile(file.workspaces, lines)


def _node(raw: bytes) -> yaml.Node:
    """Parse the YAML; raise FileProblemsError when it is none, or could multiply itself."""
    try:
        text = raw.decode("utf-8-sig")
        # Nine levels of aliases are 400 characters, and fill the memory.
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) and event.start_mark:
                raise FileProblemsError(
                    [f"line {event.start_mark.line + 1}: aliases (*{event.anchor}) are refused"]
                )
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
    return node


def _plain(
    node: yaml.Node, loc: Loc, lines: dict[Loc, int], problems: list[tuple[Loc, str]]
) -> Any:
    """Return lists, dicts, `None`, and text as it was written: `10:30` is no number of seconds."""
    lines.setdefault(loc, node.start_mark.line + 1)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(n, (*loc, at), lines, problems) for at, n in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return None if node.tag == NULL else node.value
    found: dict[str, Any] = {}
    for name_node, child in node.value:
        name = name_node.value if isinstance(name_node, yaml.ScalarNode) else "?"
        if name in found:
            problems.append(((*loc, name), "is given twice"))
        else:
            found[name] = _plain(child, (*loc, name), lines, problems)
    return found


# Lists whose items must differ -> what tells two of them apart.
_NAMES: dict[str, Callable[[Any], object]] = {
    "workspaces": lambda each: (each["team"], each.get("organisation")),
    "digests": lambda each: each["id"],
    "mentions": lambda each: each["when"].casefold(),
    **dict.fromkeys(("days", "people", "groups"), str),
}


def _repeated(value: Any, loc: Loc) -> Iterator[Loc]:
    """Yield the place of each item that an earlier one of its list equals."""
    if isinstance(value, list):
        seen = list[object]()
        for at, each in enumerate(value):
            # What is not as it should be is a problem of its own.
            with contextlib.suppress(LookupError, TypeError, AttributeError):
                name = _NAMES[str(loc[-1])](each)
                if name in seen:
                    yield (*loc, at, "id") if loc[-1] == "digests" else (*loc, at)
                seen.append(name)
            yield from _repeated(each, (*loc, at))
    elif isinstance(value, dict):
        for field, child in value.items():
            yield from _repeated(child, (*loc, field))


def _said(error: Any) -> str:
    """Return one of pydantic's errors in plain words."""
    name = error["loc"][-1] if error["loc"] else ""
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "missing":
            return f'"{name}" is missing'
        case "extra_forbidden":
            return "there is no such field"
        case "list_type":
            return "must be a list"
        case "too_long":
            return f"there can be at most {error['ctx']['max_length']}"
        case "too_short":
            return "needs at least one day" if name == "days" else "names no one"
        case _:
            return "must be a group of fields"
