"""What a file of `export` asks for, read strictly: every problem is named, with its line. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from bot.admin.managers import MAX_GROUPS, MAX_MANAGERS
from bot.digests.digest import Mention, Plan
from bot.digests.schedule import Schedule
from bot.operating import words
from bot.operating.spots import Spot, file_spot
from bot.operating.wanted import WantedDigest, WantedManagers, WantedPause, WantedWorkspace
from bot.views.digests.mentions import MAX_RULES
from bot.workspace import WorkspaceId

T = TypeVar("T")


def read_file(raw: bytes) -> list[WantedWorkspace]:
    """Return what the file asks for.

    Raises:
        FileProblemsError: with every problem that it has.
    """
    spot = file_spot(raw)
    fields = spot.fields(("version", "workspaces"), ())
    version = fields["version"].taken(words.version_in) if "version" in fields else None
    if version is None:  # the fields of another version mean something else
        spot.require_right()
    spots = fields["workspaces"].items() if "workspaces" in fields else []
    found = [_workspace(each) for each in spots]
    _require_once([(each.workspace, at) for each, at in zip(found, spots, strict=True) if each])
    spot.require_right()
    return [each for each in found if each]


def _workspace(spot: Spot) -> WantedWorkspace | None:
    fields = spot.fields(("team", "digests"), ("organisation", "managers", "editors"))
    team = _given(fields, "team", words.team_in)
    organisation = _given(fields, "organisation", words.organisation_in)
    admins_only = _given(fields, "editors", words.editors_in)
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
        user_ids=_ids(fields, "people", words.person_in, MAX_MANAGERS),
        group_ids=_ids(fields, "groups", words.group_in, MAX_GROUPS),
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
        _given(fields, "id", words.digest_id_in),
        _given(fields, "made_by", words.person_in),
    )
    if digest_id:
        ids.append((digest_id, fields["id"]))
    plan = _plan(fields)
    pause = _pause(fields["pause"]) if _is_given(fields, "pause") else None
    name = _given(fields, "made_by_name", words.name_in)
    made_at = _given(fields, "made_at", words.moment_in)
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
    channel = _given(fields, "channel", words.channel_in)
    days = _days(fields["days"]) if "days" in fields else None
    at, zone = _given(fields, "time", words.time_in), _given(fields, "zone", words.zone_in)
    decided: dict[str, Any] = {
        "filter_text": _given(fields, "filter", words.filter_in),
        "mode": _given(fields, "post", words.mode_in),
        "heartbeat_every": _given(fields, "sign_of_life", words.life_in),
        "worst_count": _given(fields, "worst_shown", words.worst_in),
        "mentions": _mentions(fields["mentions"]) if _is_given(fields, "mentions") else None,
    }
    if channel is None or not days or at is None or zone is None:
        return None
    plan = Plan(channel_id=channel, schedule=Schedule(days, at, zone))
    return replace(plan, **{name: value for name, value in decided.items() if value is not None})


def _days(spot: Spot) -> frozenset[int]:
    spots = spot.items()
    days = [(day, each) for each in spots if (day := each.taken(words.day_in)) is not None]
    if spot.is_list and not spots:
        spot.fail("needs at least one day")
    _require_once(days)
    return frozenset(day for day, _ in days)


def _mentions(spot: Spot) -> tuple[Mention, ...]:
    found: list[tuple[Mention, Spot]] = []
    for each in spot.items():
        fields = each.fields(("when", "who"), ())
        label = _given(fields, "when", words.label_in)
        who = [person.taken(words.mentioned_in) for person in _items(fields, "who")]
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
        since=_given(fields, "since", words.moment_in),
        until=_given(fields, "until", words.moment_in),
        by=_given(fields, "by", words.person_in),
        why=_given(fields, "why", words.trouble_in),
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
