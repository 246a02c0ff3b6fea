"""Validate an export file; name every problem with its line. Pure."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from enum import Enum
from typing import Any, TypeVar

import yaml

from bot.admin import MAX_GROUPS, MAX_MANAGERS
from bot.command_text import NotUnderstoodError, split_words
from bot.digests.models import WORST_COUNTS, FailureReason, Mention, Mode, Plan
from bot.digests.schedule import Schedule
from bot.ops.export_file import ADMINS, DAYS, MEMBERS, VERSION
from bot.ops.output import shown
from bot.portfolio.query import parse_query
from bot.redaction import holds_secret
from bot.views.digests.form_fields import MAX_FILTER_CHARS, MAX_LIFE, is_zone, time_of
from bot.views.digests.mention_fields import MAX_RULES, is_label
from bot.workspace import WorkspaceId

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


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedPause:
    """`since` is `None`: since it is so. The rest as in `Pause`."""

    since: datetime | None
    until: datetime | None
    by: str | None
    why: FailureReason | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedDigest:
    """A digest as the file has it; `made_by_name` and `made_at` are `None` where it does not say.

    `spot` is where the file names its channel, for problems that show later.
    """

    digest_id: str
    plan: Plan
    pause: WantedPause | None
    made_by: str
    made_by_name: str | None
    made_at: datetime | None
    spot: Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedManagers:
    """Who manages the key, by id; each is `None` where the file does not say."""

    user_ids: tuple[str, ...] | None = None
    group_ids: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class WantedWorkspace:
    """A workspace as the file has it; `admins_only` is `None` where it does not say."""

    workspace: WorkspaceId
    admins_only: bool | None
    digests: tuple[WantedDigest, ...]
    managers: WantedManagers


E = TypeVar("E", bound=Enum)
MAX_NAME_CHARS = 200
MAX_DIGITS = 4
# A post has neither an order of its own nor pages.
SENSELESS = {"sort", "page"}


def version_in(text: str) -> int:
    """Return the version of the file."""
    if text != f"{VERSION}":
        raise ValueError(
            f"this is version {shown(text, 20)} of the file; this bot reads {VERSION}"
        )
    return VERSION


def editors_in(text: str) -> bool:
    """Return whether only admins may make and change digests."""
    if text not in (ADMINS, MEMBERS):
        raise ValueError(f"must be {MEMBERS} or {ADMINS}, not {_named(text)}")
    return text == ADMINS


def id_in(pattern: str, like: str) -> Callable[[str], str]:
    """Return what takes an id of that pattern; `like` is an example of one."""
    known = re.compile(pattern)

    def take(text: str) -> str:
        if not known.fullmatch(text):
            raise ValueError(f"{_named(text)} is no id like {like}")
        return text

    return take


team_in = id_in(r"[TE][A-Z0-9]{1,29}", "T0123ABCD")
organisation_in = id_in(r"E[A-Z0-9]{1,29}", "E0123ABCD")
channel_in = id_in(r"[CG][A-Z0-9]{1,29}", "C0123ABCD")
person_in = id_in(r"[UW][A-Z0-9]{1,29}", "U0123ABCD")
group_in = id_in(r"S[A-Z0-9]{1,29}", "S0123ABCD")
mentioned_in = id_in(r"[UWS][A-Z0-9]{1,29}", "U0123ABCD or S0123ABCD")
digest_id_in = id_in(r"[A-Za-z0-9_-]{1,40}", "3f9c0a1b2d4e")


def day_in(text: str) -> int:
    """Return a weekday, 0 for Monday."""
    if text not in DAYS:
        raise ValueError(f"{_named(text)} is no day; write {', '.join(DAYS)}")
    return DAYS.index(text)


def time_in(text: str) -> time:
    """Return a time of day."""
    at = time_of(text)
    if at is None:
        raise ValueError(f'{_named(text)} is no time; write it like "09:00"')
    return at


def zone_in(text: str) -> str:
    """Return the name of a time zone."""
    if not is_zone(text):
        raise ValueError(f"there is no time zone {_named(text)}; write one like Europe/Berlin")
    return text


def filter_in(text: str) -> str:
    """Return a filter of `/domains` that a post can have."""
    text = text.strip()
    if len(text) > MAX_FILTER_CHARS:
        raise ValueError(f"a filter has at most {MAX_FILTER_CHARS} characters")
    if holds_secret(text):
        raise ValueError("there is a key or a token in it; never put one here")
    if senseless := [word.typed for word in split_words(text) if word.key in SENSELESS]:
        raise ValueError(f"a post has neither order nor pages: leave out {_named(senseless[0])}")
    try:
        parse_query(text)
    except NotUnderstoodError as error:
        parts = "; ".join(f"{_named(each.part)} {each.why}" for each in error.problems)
        raise ValueError(f"a filter that is not understood: {parts}") from None
    return text


def mode_in(text: str) -> Mode:
    """Return when to post."""
    return _member(Mode, text)


def trouble_in(text: str) -> FailureReason:
    """Return why the bot has paused a digest."""
    return _member(FailureReason, text)


def life_in(text: str) -> int:
    """Return after how many silent runs a sign of life comes."""
    return _number(text, range(1, MAX_LIFE + 1))


def worst_in(text: str) -> int:
    """Return how many of the worst domains are shown."""
    return _number(text, WORST_COUNTS)


def label_in(text: str) -> str:
    """Return the tag or folder of a rule of mention."""
    if not is_label(text):
        raise ValueError(f'{_named(text)} is no tag or folder; write it like "tag:prod"')
    return text


def name_in(text: str) -> str:
    """Return what a person is called."""
    if len(text) > MAX_NAME_CHARS or holds_secret(text):
        raise ValueError(f"must be a name of at most {MAX_NAME_CHARS} characters")
    return text


def moment_in(text: str) -> datetime:
    """Return a moment in UTC."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.utcoffset() is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f'{_named(text)} is no moment; write it like "2026-11-20T09:00:00+00:00"')


def _member(kind: type[E], text: str) -> E:
    try:
        return kind(text)
    except ValueError:
        known = ", ".join(str(each.value) for each in kind)
        raise ValueError(f"{_named(text)} is not one of {known}") from None


def _number(text: str, allowed: range) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    if not is_number or int(text) not in allowed:
        raise ValueError(f"must be a whole number from {allowed[0]} to {allowed[-1]}")
    return int(text)


def _named(text: str) -> str:
    return f'"{shown(text, 60)}"'


def read_file(raw: bytes) -> list[WantedWorkspace]:
    """Return what the file asks for.

    Raises:
        FileProblemsError: with every problem that it has.
    """
    spot = file_spot(raw)
    fields = spot.fields(("version", "workspaces"), ())
    version = fields["version"].taken(version_in) if "version" in fields else None
    if version is None:  # the fields of another version mean something else
        spot.require_right()
    spots = fields["workspaces"].items() if "workspaces" in fields else []
    found = [_workspace(each) for each in spots]
    _require_once([(each.workspace, at) for each, at in zip(found, spots, strict=True) if each])
    spot.require_right()
    return [each for each in found if each]


def _workspace(spot: Spot) -> WantedWorkspace | None:
    fields = spot.fields(("team", "digests"), ("organisation", "managers", "editors"))
    team = _given(fields, "team", team_in)
    organisation = _given(fields, "organisation", organisation_in)
    admins_only = _given(fields, "editors", editors_in)
    managers = _managers(fields["managers"]) if _is_given(fields, "managers") else None
    spots = fields["digests"].items() if "digests" in fields else []
    ids: list[tuple[str, Spot]] = []
    digests = [_digest(each, ids) for each in spots]
    _require_once(ids)
    if team is None:
        return None
    known = tuple(each for each in digests if each)
    return WantedWorkspace(
        WorkspaceId(team, organisation), admins_only, known, managers or WantedManagers()
    )


def _managers(spot: Spot) -> WantedManagers:
    fields = spot.fields((), ("people", "groups"))
    return WantedManagers(
        user_ids=_ids(fields, "people", person_in, MAX_MANAGERS),
        group_ids=_ids(fields, "groups", group_in, MAX_GROUPS),
    )


def _ids(
    fields: dict[str, Spot], name: str, take: Callable[[str], str], limit: int
) -> tuple[str, ...] | None:
    """Return a list of ids, `None` where the file does not say."""
    if not _is_given(fields, name):
        return None
    spots = fields[name].items()
    ids = [(slack_id, each) for each in spots if (slack_id := each.taken(take))]
    _require_once(ids)
    if len(spots) > limit:
        fields[name].fail(f"there can be at most {limit}")
    return tuple(slack_id for slack_id, _ in ids)


def _digest(spot: Spot, ids: list[tuple[str, Spot]]) -> WantedDigest | None:
    """Return the digest, `None` where too much is wrong; its id goes to `ids` all the same."""
    fields = spot.fields(
        ("id", "channel", "days", "time", "zone", "made_by"),
        (
            *("filter", "post", "sign_of_life", "worst_shown", "mentions"),
            *("pause", "made_by_name", "made_at"),
        ),
    )
    digest_id, made_by = (
        _given(fields, "id", digest_id_in),
        _given(fields, "made_by", person_in),
    )
    if digest_id:
        ids.append((digest_id, fields["id"]))
    plan = _plan(fields)
    pause = _pause(fields["pause"]) if _is_given(fields, "pause") else None
    name = _given(fields, "made_by_name", name_in)
    made_at = _given(fields, "made_at", moment_in)
    if not (digest_id and made_by and plan):
        return None
    return WantedDigest(
        digest_id=digest_id,
        plan=plan,
        pause=pause,
        made_by=made_by,
        made_by_name=name,
        made_at=made_at,
        spot=fields["channel"],
    )


def _plan(fields: dict[str, Spot]) -> Plan | None:
    """Return the plan, `None` where something that it needs is missing or wrong."""
    channel = _given(fields, "channel", channel_in)
    days = _days(fields["days"]) if "days" in fields else None
    at, zone = _given(fields, "time", time_in), _given(fields, "zone", zone_in)
    decided: dict[str, Any] = {
        "filter_text": _given(fields, "filter", filter_in),
        "mode": _given(fields, "post", mode_in),
        "heartbeat_every": _given(fields, "sign_of_life", life_in),
        "worst_count": _given(fields, "worst_shown", worst_in),
        "mentions": _mentions(fields["mentions"]) if _is_given(fields, "mentions") else None,
    }
    if channel is None or not days or at is None or zone is None:
        return None
    plan = Plan(channel_id=channel, schedule=Schedule(days, at, zone))
    return replace(plan, **{name: value for name, value in decided.items() if value is not None})


def _days(spot: Spot) -> frozenset[int]:
    spots = spot.items()
    days = [(day, each) for each in spots if (day := each.taken(day_in)) is not None]
    if spot.is_list and not spots:
        spot.fail("needs at least one day")
    _require_once(days)
    return frozenset(day for day, _ in days)


def _mentions(spot: Spot) -> tuple[Mention, ...]:
    found: list[tuple[Mention, Spot]] = []
    for each in spot.items():
        fields = each.fields(("when", "who"), ())
        label = _given(fields, "when", label_in)
        who = [person.taken(mentioned_in) for person in _items(fields, "who")]
        if "who" in fields and fields["who"].is_list and not who:
            fields["who"].fail("names nobody")
        if label:
            found.append((Mention(label=label, who=tuple(filter(None, who))), each))
    _require_once([(rule.label.casefold(), each) for rule, each in found])
    if len(found) > MAX_RULES:
        spot.fail(f"there can be at most {MAX_RULES}")
    return tuple(rule for rule, _ in found)


def _pause(spot: Spot) -> WantedPause:
    fields = spot.fields((), ("since", "until", "by", "why"))
    pause = WantedPause(
        since=_given(fields, "since", moment_in),
        until=_given(fields, "until", moment_in),
        by=_given(fields, "by", person_in),
        why=_given(fields, "why", trouble_in),
    )
    if spot.is_group and not (_is_given(fields, "by") or _is_given(fields, "why")):
        spot.fail('needs "by", who paused it, or "why", when the bot itself has')
    return pause


def _given(fields: dict[str, Spot], name: str, take: Callable[[str], T]) -> T | None:
    """Return the field's meaning; `None` when it is missing, null or wrong."""
    return fields[name].taken(take) if _is_given(fields, name) else None


def _is_given(fields: dict[str, Spot], name: str) -> bool:
    return name in fields and not fields[name].is_null


def _items(fields: dict[str, Spot], name: str) -> list[Spot]:
    return fields[name].items() if name in fields else []


def _require_once(named: Sequence[tuple[object, Spot]]) -> None:
    """Note everything that has the name of something before it."""
    seen: set[object] = set()
    for name, spot in named:
        if name in seen:
            spot.fail("is there twice")
        seen.add(name)
