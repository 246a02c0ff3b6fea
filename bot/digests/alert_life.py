"""The life of an alert: a fall, further falls, its end; taking and snoozing it. Pure."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from bot.digests.alert_card import AlertCard, Fall
from bot.digests.baseline import NO_MARK, ends_by_name, marks_of
from bot.digests.models import Digest, Snooze, Snoozes
from bot.digests.report import Post, Report, fallen, is_back, owners_to_mention, worse_moves
from bot.digests.run_state import CLAIM
from bot.digests.views.alert import expected_line, fall_line, recovered_line
from bot.digests.views.notes import late_line
from bot.domains.end_views import coverage_text
from bot.domains.kept_facts import (
    Ending,
    KeptFacts,
    KnownChange,
    KnownFacts,
    KnownIssue,
    issue_name,
)
from bot.domains.lookup import host_of
from bot.domains.query import Bounds
from bot.tracker.hijack_signs import ISSUER, is_same, kind_of
from bot.tracker.models import Domain

# After that a fall that has not ended is no longer watched.
KEPT_FOR = timedelta(days=30)


@dataclass(frozen=True)
class Look:
    """What a digest saw: its report, the whole portfolio by host, what scans know.

    `is_whole` is false where the list may lack domains.
    """

    report: Report
    domains: Mapping[str, Domain]
    facts: KnownFacts
    bounds: Bounds
    is_whole: bool = True

    @cached_property
    def falls(self) -> Mapping[str, Fall]:
        """The domains that got worse, by host name, the worst first."""
        return {fall.host: fall for fall in falls_in(self.report, self.facts.now)}


def falls_in(report: Report, now: datetime) -> tuple[Fall, ...]:
    """Return the domains that got worse, the worst first; see `fallen`."""
    worse = (*worse_moves(report), *report.poor_first)
    moves = {host_of(move.domain): move for move in worse}
    soon = {host_of(domain): (domain, row) for domain, row in report.soon}
    nearer = {host_of(domain) for domain in report.nearer}
    issues: defaultdict[str, list[KnownIssue]] = defaultdict(list)
    for domain, _, issue in report.issues if report.since else ():  # else they may be old
        issues[host_of(domain)].append(issue)
    changes: defaultdict[str, list[KnownChange]] = defaultdict(list)
    for domain, _, change in report.changed:
        changes[host_of(domain)].append(change)
    scanned = [domain for domain, _, _ in (*report.issues, *report.changed)]
    domains = [*scanned, *(move.domain for move in worse), *report.nearer]
    ids = {host_of(domain): domain.domain_id for domain in domains}
    found: list[Fall] = []
    for host in fallen(report):
        move = moves.get(host)
        score = move.after if move else None
        fall = Fall(
            host=host,
            at=now,
            told_at=now,
            before=move.before if move else None,
            low=score,
            now=score,
            told=score,
            rule=report.rule,
            issues=tuple(issues[host]),
            changes=tuple(changes[host]),
            domain_id=ids[host],
        )
        found.append(_with_ends(fall, *soon[host], report) if host in nearer else fall)
    return tuple(sorted(found, key=_has_new_issuer_only))


def _has_new_issuer_only(fall: Fall) -> bool:
    is_otherwise_worse = fall.low is not None or fall.marks or fall.issues
    return not is_otherwise_worse and all(kind_of(each.sign) == ISSUER for each in fall.changes)


def _with_ends(fall: Fall, domain: Domain, row: Ending, report: Report) -> Fall:
    dates = KeptFacts(row.ends.scanned_at, row.ends.registration, row.ends.certificate)
    return replace(
        fall,
        ends=dates,
        hosts_under=row.hosts_under,
        marks=marks_of(row.ends, fall.at, report.rule.marks),
        is_owned=report.is_owned(domain),
    )


def alert_of(post: Post, channel_id: str) -> AlertCard:
    """Return the alert about what got worse, before its post."""
    notes = (late_line(post), coverage_text(post.report.coverage))
    reminder, ends_at = post.digest.plan.reminder, post.sent_at + KEPT_FOR
    remind_at = post.sent_at + timedelta(minutes=reminder.after) if reminder else None
    return AlertCard(
        channel_id=channel_id,
        falls=falls_in(post.report, post.sent_at),
        due=remind_at or ends_at,
        remind_at=remind_at,
        owners=owners_to_mention(post.report, post.digest.plan.mentions),
        notes=tuple(filter(None, notes)),
    )


def after_look(alert: AlertCard, look: Look) -> AlertCard:
    """Return an alert with what a look says of its domains, and what its thread gets to read."""
    falls, lines = [], []
    for fall in alert.falls:
        again = look.falls.get(fall.host)
        news = _news(fall, again) if again else None
        if news and not alert.ts:  # a new card tells it: this one may not be there
            continue
        if news:
            lines.append(fall_line(news))
        seen = _joined(fall, news) if news else fall
        falls.append(_with_state(seen, look))
    after = replace(alert, falls=tuple(falls))
    if alert.down and falls and not after.down:
        lines.append(recovered_line(after))
    return replace(after, lines=(*alert.lines, *lines))


def _news(fall: Fall, again: Fall) -> Fall | None:
    """Return what of a fall is not on the card yet, `None` if nothing is."""
    known = {issue_name(issue) for issue in fall.issues} if fall.is_down else set()
    first = {kind_of(each.sign): each.before for each in reversed(fall.changes)}
    changes = tuple(
        each
        for each in again.changes
        if not (each.expected_by or each in fall.changes)
        and not is_same(each.sign, first.get(kind_of(each.sign), each.before), each.after)
    )
    reached = fall.marks if fall.is_down else {}
    marks = {name: mark for name, mark in again.marks.items() if mark < reached.get(name, NO_MARK)}
    issues = tuple(issue for issue in again.issues if issue_name(issue) not in known)
    is_lower_again = again.now is not None and again.now != fall.told
    if not (changes or marks or issues or is_lower_again):
        return None
    return replace(
        again,
        before=again.before if is_lower_again else None,
        changes=changes,
        issues=issues,
        marks=marks,
        ends=again.ends if marks else None,
    )


def _joined(fall: Fall, news: Fall) -> Fall:
    """Return a domain of a card with a further fall; one that had recovered begins again."""
    if not fall.is_down:
        return news
    return replace(
        fall,
        told_at=news.told_at,
        before=news.before if fall.low is None else fall.before,
        low=news.now if fall.low is None else min(fall.low, news.low or fall.low),
        now=news.now if news.now is not None else fall.now,
        told=news.told if news.told is not None else fall.told,
        rule=fall.rule.or_by(news.rule),
        ends=news.ends or fall.ends,
        marks={**fall.marks, **news.marks},
        issues=(*fall.issues, *news.issues),
        changes=(*fall.changes, *news.changes),
    )


def _with_state(fall: Fall, look: Look) -> Fall:
    """Return a domain of a card with its score now, and whether it has recovered or is gone."""
    domain, row = look.domains.get(fall.host), look.facts.by_host.get(fall.host)
    if domain is None or not fall.is_down:
        is_gone = look.is_whole and domain is None and fall.recovered_at is None
        return replace(fall, is_gone=is_gone)
    if row:  # by `Expected` on another card
        known = tuple(each.expected_if_in(row.changes) for each in fall.changes)
        fall = replace(fall, changes=known)
    score = domain.health_score
    points = fall.rule.points
    if fall.low is not None and score is not None:
        # From there a fall to the same score is a further one.
        has_risen = fall.told is not None and score - fall.told >= points
        told = None if has_risen else fall.told
        fall = replace(fall, now=score, low=min(fall.low, score), told=told)
    is_small = fall.low is not None and (fall.now or 0) - fall.low < points
    has_score_back = fall.low is None or (
        score is not None and is_back(fall.before, fall.low, score, look.bounds, fall.rule)
    )
    was_back = has_score_back and _are_others_back(fall, row, look.facts.now)
    if was_back and (fall.was_back or not is_small):  # else it may waver: see `unsettled`
        return replace(fall, recovered_at=look.facts.now)
    return replace(fall, has_score_back=has_score_back and not is_small, was_back=was_back)


def _are_others_back(fall: Fall, row: KeptFacts | None, now: datetime) -> bool:
    """Return whether ends are renewed, issues that counted gone, and signs as they were."""
    marks, issues, changes = fall.marks, fall.awaited_issues, fall.hijack_signs
    if row is None:
        return not (marks or issues or changes)
    # By the marks of then: the plan may have others by now.
    reached, ends = marks_of(row, now, sorted(set(marks.values()))), ends_by_name(row)
    if not all(ends[name] and reached.get(name, NO_MARK) > mark for name, mark in marks.items()):
        return False
    if issues and not (row.issues_are_known and _are_gone(issues, row)):
        return False
    first = {each.sign: each.before for each in reversed(changes)}
    return all(
        sign in row.signs and is_same(sign, before, row.signs[sign])
        for sign, before in first.items()
    )


def _are_gone(issues: Collection[KnownIssue], row: KeptFacts) -> bool:
    """Return whether none of these issues is left; only the worst of a scan are kept.

    Those of a section that could not be checked are.
    """
    # An issue that is milder than the last kept one may be there all the same.
    is_cut = sum(row.issues.values()) > len(row.worst)
    is_unsure = is_cut and row.worst[-1].rank <= max(issue.rank for issue in issues)
    names = set(map(issue_name, issues))
    return not is_unsure and names.isdisjoint(map(issue_name, (*row.worst, *row.unconfirmed)))


def expect(alert: AlertCard, place: int, user_id: str, now: datetime) -> AlertCard:
    """Return an alert in which a person knew of a domain's changes: that is as if they were back.

    `place` is that of the domain among all of the alert.
    """
    fall = alert.falls[place]
    if not (fall.is_down and fall.hijack_signs):
        return alert
    signs, changes = set(fall.hijack_signs), fall.changes
    by = (each._replace(expected_by=user_id) if each in signs else each for each in changes)
    known = replace(fall, changes=tuple(by))
    is_worse = known.is_lower or known.marks or known.awaited_issues
    if not is_worse:
        known = replace(known, recovered_at=now)
    falls = (*alert.falls[:place], known, *alert.falls[place + 1 :])
    return replace(alert, falls=falls, lines=(*alert.lines, expected_line(known)))


def take(alert: AlertCard, user_id: str, now: datetime, *, takes_over: bool) -> AlertCard:
    """Return an alert that a person takes; only who takes it over takes it from another."""
    if alert.taken_by == user_id or (alert.taken_by and not takes_over):
        return alert
    line = f"<@{user_id}> took over from <@{alert.taken_by}>."
    lines = (*alert.lines, line) if alert.taken_by else alert.lines
    return replace(alert, taken_by=user_id, taken_at=now, lines=lines, remind_at=None)


def let_go(alert: AlertCard, user_id: str) -> AlertCard:
    if alert.taken_by != user_id:
        return alert
    lines = (*alert.lines, f"<@{user_id}> let go. To take it, press `I'm on it`.")
    return replace(alert, taken_by=None, taken_at=None, lines=lines)


def snoozed(alert: AlertCard, snooze: Snooze | None) -> AlertCard:
    return replace(alert, snooze=snooze, remind_at=None if snooze else alert.remind_at)


def silences(digest: Digest, alerts: Collection[AlertCard], now: datetime) -> Snoozes:
    """Return what is snoozed of an alert now."""
    of_all = digest.active_snooze(now)
    found = ((each.active_snooze(now), each.hosts) for each in alerts)
    of_cards = ((snooze, hosts) for snooze, hosts in found if snooze)
    return (*([(of_all, ())] if of_all else []), *of_cards)


def touched(alert: AlertCard, at: datetime) -> AlertCard:
    """Return an alert whose card is compared with it at `at`, or by the process that draws it."""
    return replace(alert, is_stale=True) if alert.claimed_by else replace(alert, due=at)


def claimed(alert: AlertCard, token: str, now: datetime) -> AlertCard:
    """Return an alert that `token` draws, unless a living process does: that one draws again."""
    if alert.claimed_by and alert.due > now:
        return replace(alert, is_stale=True)
    return replace(alert, claimed_by=token, is_stale=False, due=now + CLAIM)


def released(
    alert: AlertCard, token: str, now: datetime, due: datetime, *, tries: int = 0
) -> AlertCard:
    """Return an alert that `token` has drawn; `due`: when it is looked at again."""
    if alert.claimed_by != token:
        return alert
    again = now if alert.is_stale and not tries else due
    return replace(alert, claimed_by="", is_stale=False, due=again, tries=tries)


def placed(alert: AlertCard, before: AlertCard, ts: str, shown: str, now: datetime) -> AlertCard:
    """Return an alert whose card is posted; it is drawn again if it was changed since `before`."""
    after = replace(alert, ts=ts, shown=shown)
    return after if alert == before else touched(after, now)


def next_due(alert: AlertCard, digest: Digest, now: datetime) -> datetime:
    """Return when a card changes by itself: a reminder, the end of a snooze or of the watch."""
    ends = (each and each.until for each in (alert.active_snooze(now), digest.active_snooze(now)))
    moments = [each for each in (*ends, alert.remind_at) if each]
    if alert.down:
        moments.append(alert.falls[0].at + KEPT_FOR)
    return min(moments, default=now + KEPT_FOR)


def is_expired(alert: AlertCard, now: datetime) -> bool:
    """Return whether a fall has lasted so long that it is no longer watched."""
    return bool(alert.down) and now - alert.falls[0].at >= KEPT_FOR
