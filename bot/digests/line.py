"""Read and write a digest as one line: `weekdays 8:30 tag:prod worse name:"Prod"`. Pure."""

from dataclasses import dataclass, field, replace

from bot.digests.draft import ALL_DAYS, FORTNIGHTLY, MONTHLY, WORKDAYS, Draft
from bot.digests.models import MAX_NAME_CHARS, Mode, Plan
from bot.digests.schedule import (
    FORTNIGHT,
    LOOKS,
    ORDINALS,
    WEEKDAYS,
    Schedule,
    month_day_of,
    time_of,
    weekday_of,
)
from bot.dispatch.command_text import (
    QUOTES,
    NotUnderstood,
    NotUnderstoodError,
    Word,
    split_words,
    unescaped,
)
from bot.domains.query import parse_query
from bot.process.zones import is_zone, zone_names

VERBS = ("pause", "resume", "send", "delete")
_MODES = {"changed": Mode.CHANGES, "worse": Mode.WORSE}
_NO_WHEN = "Start with daily, weekdays, mon, every 2 weeks, monthly 1 or every 15 minutes"
_ALL_OF = {"daily": ALL_DAYS, "weekdays": WORKDAYS}


@dataclass
class Line:
    """What a line says: `draft`, the parts that mean nothing, and those that do, as typed.

    `is_own`: it is for the person alone.
    """

    draft: Draft
    is_own: bool = False
    problems: list[NotUnderstood] = field(default_factory=list)
    understood: list[str] = field(default_factory=list)
    _given: set[str] = field(default_factory=set)

    def take(self, what: str, words: str, **values: object) -> None:
        """Note a part with its values; that of a kind that was there already is a problem."""
        if what in self._given:
            self.problems.append(NotUnderstood(words, "is given twice"))
            return
        self._given.add(what)
        self.understood.append(words)
        self.draft = replace(self.draft, **values)  # type: ignore[arg-type]  # names of its fields

    def refuse(self, words: str, why: str) -> None:
        self.problems.append(NotUnderstood(words, why))


def verb_in(text: str) -> tuple[str, str] | None:
    """Return the verb of a line about a digest that is there, and its name, else `None`."""
    verb, _, name = text.strip().partition(" ")
    if verb.lower() not in VERBS:
        return None
    return verb.lower(), " ".join(unescaped(name).strip().strip(QUOTES).split())


def read_line(text: str, *, zone: str) -> Line:
    """Return what a line says about a digest; `zone` is the person's."""
    line, words = Line(Draft(zone=zone)), split_words(text)
    rest = _when(line, words)
    filters: list[Word] = []
    while rest:
        rest = _part(line, rest, filters)
    filter_text = " ".join(word.raw for word in filters)
    try:
        parse_query(filter_text)
    except NotUnderstoodError as error:
        line.problems += error.problems
    else:
        line.draft = replace(line.draft, filter_text=filter_text)
    return line


def _when(line: Line, words: list[Word]) -> list[Word]:
    """Take WHEN from the first words; return the others."""
    texts = _bare_texts(words)
    match texts:
        case ["every", "2" | "two", "weeks" | "week", *after]:
            days = _days_at(after)
            values = {"days": frozenset(days)} if days else {}
            return _taken(line, words, 3 + len(days), repeat=FORTNIGHTLY, **values)
        case ["every", number, "minutes" | "minute" | "min", *_] if number in map(str, LOOKS):
            return _taken(line, words, 3, mode=number)
        case ["monthly", ordinal, day, *_] if month_day := month_day_of(f"{ordinal} {day}"):
            return _taken(line, words, 3, repeat=MONTHLY, month_day=month_day)
        case ["monthly", day, *_] if month_day := month_day_of(day):
            return _taken(line, words, 2, repeat=MONTHLY, month_day=month_day)
        case ["monthly", *_]:
            line.refuse(words[0].typed, "needs a day: monthly 1, or monthly last fri")
            return words[1:]
        case ["every", *_]:
            line.refuse(
                words[0].typed,
                "needs a length. An alert runs every 15, 30 or 60 minutes; a digest every 2 weeks",
            )
            return words[1:]
    if found := _look_days(words):
        return _taken(line, words, found[1], days=found[0])
    line.refuse(words[0].typed if words else "", _NO_WHEN)
    return words[1:]


def _taken(line: Line, words: list[Word], count: int, **values: object) -> list[Word]:
    line.take("when", " ".join(word.typed for word in words[:count]), **values)
    return words[count:]


def _bare_texts(words: list[Word]) -> list[str]:
    """Return each word in lower case, "" for one with a key."""
    return [word.value.lower() if word.key is None else "" for word in words]


def _days_at(texts: list[str]) -> list[int]:
    days: list[int] = []
    for text in texts:
        if (day := weekday_of(text)) is None:
            break
        days.append(day)
    return days


def _part(line: Line, words: list[Word], filters: list[Word]) -> list[Word]:
    """Take the part with which `words` begin; return the others."""
    word, value = words[0], words[0].value
    is_bare = word.key is None and not word.raw.startswith((*QUOTES,))
    mode = _MODES.get(value.lower())
    at = None if value.startswith(":") else time_of(value.zfill(5))
    if word.key == "name":
        _name(line, word)
    elif word.key in {"sort", "page"}:
        line.refuse(word.typed, "does not go with a post, which has neither order nor pages")
    elif not is_bare:
        _filter(line, word, filters)
    elif line.draft.is_alert and (mode or at):
        why = "does not go with an alert: it has no time, and is posted when something gets worse"
        line.refuse(word.typed, why)
    elif mode:
        line.take("mode", word.typed, mode=mode.value)
    elif value.lower() == "me":
        line.take("me", word.typed)
        line.is_own = True
    elif line.draft.is_alert and (days := _look_days(words)):
        line.take("days", " ".join(each.typed for each in words[: days[1]]), look_days=days[0])
        return words[days[1] :]
    elif at:
        line.take("time", word.typed, at=f"{at:%H:%M}")
    elif zone := _zone_called(value):
        line.take("zone", word.typed, zone=zone)
    elif _is_no_word(value):
        line.refuse(word.typed, "is no time, time zone or filter")
    else:
        _filter(line, word, filters)
    return words[1:]


def _is_no_word(value: str) -> bool:
    """Return whether a bare part cannot be a text to look for in names."""
    return value[:1].isdigit() or bool(set(value) & {":", "/"})


def _look_days(words: list[Word]) -> tuple[frozenset[int], int] | None:
    """Return the days with which `words` begin, and how many words they are."""
    texts = _bare_texts(words)
    if texts and texts[0] in _ALL_OF:
        return _ALL_OF[texts[0]], 1
    days = _days_at(texts)
    return (frozenset(days), len(days)) if days else None


def _name(line: Line, word: Word) -> None:
    name = " ".join(word.value.split())
    if not name or len(name) > MAX_NAME_CHARS:
        line.refuse(word.typed, f"is no name of 1 to {MAX_NAME_CHARS} characters")
    else:
        line.take("name", word.typed, name=name)


def _filter(line: Line, word: Word, filters: list[Word]) -> None:
    try:
        parse_query(word.raw)
    except NotUnderstoodError as error:
        line.problems += error.problems
    else:
        filters.append(word)
        line.understood.append(word.typed)


def _zone_called(typed: str) -> str | None:
    """Return the zone of that name, case aside where it has a slash, else as it is spelled."""
    if "/" not in typed and typed.upper() != "UTC":
        return typed if is_zone(typed) else None
    return next((name for name in zone_names() if name.casefold() == typed.casefold()), None)


def line_of(plan: Plan) -> str:
    """Return a line that `read_line` reads as this plan, without what only the form sets."""
    schedule = plan.schedule
    parts = [_when_text(schedule)]
    parts += [] if schedule.every else [f"{schedule.at.hour}:{schedule.at:%M}"]
    parts += [schedule.zone, *map(_filter_text, split_words(plan.filter_text))]
    parts += [name for name, mode in _MODES.items() if mode is plan.mode and not plan.is_alert]
    parts += [f'name:"{plan.name}"'] if plan.name else []
    parts += ["me"] if plan.is_own else []
    return f"/domaindigest {' '.join(parts)}"


def _when_text(schedule: Schedule) -> str:
    if schedule.month_day:
        return f"monthly {schedule.month_day}"
    listed = " ".join(WEEKDAYS[day] for day in sorted(schedule.days))
    if schedule.weeks == FORTNIGHT:
        return f"every 2 weeks {listed}"
    days = next((name for name, those in _ALL_OF.items() if those == schedule.days), listed)
    if schedule.every:
        return f"every {schedule.every} minutes{'' if days == 'daily' else f' {days}'}"
    return days


def _filter_text(word: Word) -> str:
    """Return a word of a filter as people type it, in quotes where it would mean more."""
    typed = word.typed
    is_plain = word.key is not None or typed.startswith('"')
    lower = word.value.lower()
    is_taken = lower in {*_MODES, "me", *_ALL_OF, *ORDINALS} or weekday_of(lower) is not None
    is_taken = is_taken or bool(_zone_called(word.value)) or _is_no_word(lower)
    return f'"{typed}"' if is_taken and not is_plain else typed


def has_more(plan: Plan) -> bool:
    """Return whether a plan has settings that its line does not say."""
    default = Plan(channel_id=plan.channel_id, schedule=plan.schedule)
    return replace(plan, name="", filter_text="", mode=default.mode) != default
