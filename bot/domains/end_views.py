"""Draw when registrations and certificates end. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.blocks.text import age_text, day_text, day_token, moment_token, plural
from bot.domains.kept_facts import Coverage, Ending, KeptFacts, KnownChange
from bot.tracker.hijack_signs import MAIL_SERVERS, NAME_SERVERS, kind_of
from bot.tracker.scan_facts import SOON_DAYS, URGENT_DAYS, EndDate, ScanFacts

URGENT, SOON = "🔴", "⚠️"
REGISTRATION, CERTIFICATE = END_COLUMNS = ("Registration", "Certificate")
MAX_HOSTS_SHOWN = 2
DAYS_IN_YEAR = 365
# Further ends are told in years: a certificate without an end says 9999.
MAX_DAYS_SHOWN = 1_000
# The value by which a cell sorts that has no date: after all days.
LAST_VALUE = 10_000_000


def ends(facts: ScanFacts | KeptFacts) -> list[tuple[str, EndDate]]:
    """Return what ends, the first one first."""
    given = zip(END_COLUMNS, (facts.registration, facts.certificate), strict=True)
    return sorted(((name, end) for name, end in given if end), key=lambda each: each[1].day)


def end_sign(end: EndDate, now: datetime, *, is_owned: bool = True) -> str:
    """Return the sign of an end that is near or past, or nothing.

    An end of a domain that is not owned has none: its owner has to renew it.
    """
    left = end.days_left(now)
    if not is_owned or (left >= SOON_DAYS and not end.has_ended(now)):
        return ""
    return URGENT if left < URGENT_DAYS or end.has_ended(now) else SOON


def end_text(name: str, end: EndDate, now: datetime) -> str:
    """Return `Certificate expires in 9 days`, or `Certificate expired 3 days ago`."""
    left = end.days_left(now)
    if end.has_ended(now):
        return f"{name} expired {f'{span_text(-left)} ago' if left else 'today'}"
    return f"{name} expires {f'in {span_text(left)}' if left else 'today'}"


def span_text(days: int) -> str:
    """Return `9 days`, or `27 years`."""
    return plural(days, "day") if days < MAX_DAYS_SHOWN else plural(days // DAYS_IN_YEAR, "year")


def end_date_text(end: EndDate) -> str:
    """Return mrkdwn of when something ends, the day alone where the scan names no time zone."""
    text = moment_token(end.moment) if end.moment else day_token(end.day)
    return _with_others(text, map(day_token, end.also))


def end_cell(end: EndDate | None, now: datetime, *, is_owned: bool) -> tuple[int, str]:
    """Return the days left, and their text."""
    if end is None:
        return LAST_VALUE, "–"
    left = end.days_left(now)
    text = f"{span_text(-left)} ago" if left < 0 else span_text(left) if left else "today"
    return left, f"{end_sign(end, now, is_owned=is_owned)} {text}".strip()


def soon_text(row: Ending, now: datetime, *, age: bool = True, is_owned: bool = True) -> str:
    """Return all that ends soon, and the age of its scan; for signs see `end_sign`."""
    notes = [f"and {plural(row.hosts_under, 'host')} under it"] if row.hosts_under else []
    notes += [] if is_owned else ["not an owned domain"]
    notes += [scanned_text([row.ends], now)] if age else []
    text = soon_words(row.ends, now, row.within)
    sign = f"{end_sign(ends(row.ends)[0][1], now)} " if text and is_owned else ""
    return f"{sign}{text}" + (f" ({', '.join(notes)})" if notes else "")


def soon_words(facts: ScanFacts | KeptFacts, now: datetime, within: int = SOON_DAYS) -> str:
    """Return all that ends within so many days without its sign, or nothing."""
    near = (each for each in ends(facts) if each[1].days_left(now) <= within)
    return ", ".join(
        _with_others(end_text(name.lower(), end, now), map(day_text, end.also))
        for name, end in near
    )


def _with_others(text: str, days: Iterable[str]) -> str:
    others = ", ".join(days)
    return f"{text} (the scan also says {others})" if others else text


def sign_words(change: KnownChange) -> str:
    """Return `name servers ns1.a → ns1.b`, of lists what is no longer there and what is new."""
    kind, before, after = kind_of(change.sign), change.before, change.after
    if kind not in {NAME_SERVERS, MAIL_SERVERS}:
        return f"{kind} {before} → {after}"
    was, now = before.split(", "), after.split(", ")
    gone = first_of([host for host in was if host not in now], MAX_HOSTS_SHOWN)
    new = first_of([host for host in now if host not in was], MAX_HOSTS_SHOWN)
    if gone and new:
        return f"{kind} {gone} → {new}"
    return f"{kind} {new} added" if new else f"{kind} {gone} removed"


def first_of(texts: Sequence[str], most: int) -> str:
    """Return `a, b and 3 more`."""
    left_out = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {left_out:,} more" if left_out > 0 else "")


def scanned_text(rows: Sequence[KeptFacts], now: datetime) -> str:
    """Return `scanned 3 days ago`, or `oldest scan 3 days ago`; nothing without rows."""
    if not rows:
        return ""
    oldest, newest = _ages(rows, now)
    return f"{'scanned' if newest == oldest else 'oldest scan'} {oldest}"


def as_of_text(rows: Sequence[KeptFacts], now: datetime) -> str:
    """Return `End dates as of 3 days ago.`, the age of the oldest scan."""
    oldest, newest = _ages(rows, now)
    return f"End dates as of {oldest}{'' if newest == oldest else ' or later'}."


def _ages(rows: Sequence[KeptFacts], now: datetime) -> tuple[str, str]:
    scanned = [row.scanned_at for row in rows]
    oldest, newest = (age_text((now - at).total_seconds()) for at in (min(scanned), max(scanned)))
    return oldest, newest


def coverage_text(coverage: Coverage | None, *, age: bool = True) -> str:
    """Return for how many domains dates and issues are known, nothing where it is for all."""
    if coverage is None or not coverage.domains:
        return ""
    sentences = []
    if not coverage.is_complete:
        count = plural(coverage.domains, "domain")
        sentences.append(
            f"Both dates known for {coverage.dates:,} of {count}, issues for {coverage.issues:,}."
        )
    if age and coverage.age is not None:
        sentences.append(f"Oldest scan {age_text(coverage.age.total_seconds())}.")
    return " ".join(sentences)
