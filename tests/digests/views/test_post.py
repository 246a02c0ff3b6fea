from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.blocks.builders import RUN_BELOW
from bot.digests.models import Mode, Outcome
from bot.digests.report import Post, fallen, got_worse
from bot.digests.views.post import (
    announcement_message,
    details_message,
    digest_message,
    heartbeat_message,
    told_message,
)
from bot.digests.views.wording import MANAGE_DIGEST
from bot.domains.kept_facts import Coverage
from tests.blocks.acceptance import buttons, shown_text
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, a_domain
from tests.digests.builders import (
    DUE,
    a_baseline,
    a_digest,
    a_mention,
    a_past_run,
    a_post,
    a_report,
    a_trend,
    domains_of,
    report_on,
)
from tests.digests.views.parts import MANAGED, block, everywhere, has, taken, title
from tests.loops import loop_over

GROUP = "<!subteam^S0WEB>"


def test_the_title_says_how_many_and_how_well_and_what_moved() -> None:
    scores = {"a.example": 84.55, "b.example": 41}

    up = digest_message(a_post(report=a_report(scores, {"a.example": 61.2})))
    down = digest_message(a_post(report=a_report(scores, {"a.example": 64})))

    assert title(up) == "Health digest: 2 domains, average 62.7 ▲ +1.5"
    assert title(down) == "Health digest: 2 domains, average 62.7 ▼ \N{MINUS SIGN}1.3"
    assert up.text.startswith("Health digest: 2 domains, average 62.7 up 1.5.")
    assert "average 62.7 down 1.3." in down.text


def test_a_notification_says_what_got_worse_before_when_digests_come() -> None:
    """Phones show about the first 150 characters."""
    fell = a_report({"a.example": 40, "b.example": 90}, {"a.example": 85, "b.example": 90})
    post = a_post(report=fell, filter_text="tag:prod")

    for message in (digest_message(post), details_message(post)):
        text = taken(message).text
        assert text.index("Filter: tag:prod.") < text.index("1 domain got worse: a.example") < 150
        assert text.index("got worse") < text.index("Mon–Fri at 09:00")


def test_an_unknown_average_is_never_zero() -> None:
    message = digest_message(a_post(report=a_report({"a.example": None}, {"a.example": 41})))

    assert title(message) == "Health digest: 1 domain, no score yet"
    assert not has(message, "data_table")
    assert "0 poor (\N{MINUS SIGN}1), 1 no score yet (+1)." in message.text


def test_the_owners_of_what_got_worse_are_mentioned_in_text_and_blocks() -> None:
    rules = (a_mention("tag:prod", ADMIN_ID, "S0WEB"), a_mention("tag:other", "U0OTHER"))
    domains = domains_of({"a.example": 40}, tags=("Prod",))
    report = report_on(domains, a_baseline({"a.example": 60}), worst_count=5)

    message = taken(digest_message(a_post(report=report, mentions=rules)), GROUP)

    calling = f"<@{ADMIN_ID}> {GROUP}: domains that you look after got worse."
    assert everywhere(message, calling)
    assert "U0OTHER" not in str(message)


@loop_over(
    "who",
    [
        "<!channel>",
        "U0ADMIN> <!here>",
        "S0WEB> <!here>",
        "u0admin",
        "C0OPS",
        "!here",
        "",
        "@ada",
        "S1|x",
        "U0\nX",
    ],
)
def test_what_is_no_id_is_not_mentioned(who: str) -> None:
    domains = domains_of({"a.example": 40}, tags=("prod",))
    report = report_on(domains, a_baseline({"a.example": 60}), worst_count=5)

    message = taken(digest_message(a_post(report=report, mentions=(a_mention("tag:prod", who),))))

    assert "you own" not in message.text


def test_of_very_many_owners_the_rest_is_counted() -> None:
    ids = [f"U0{number:04}" for number in range(45)]
    domains = domains_of({"a.example": 40}, tags=("prod",))
    report = report_on(domains, a_baseline({"a.example": 60}), worst_count=5)
    post = a_post(report=report, mentions=(a_mention("tag:prod", *ids),))

    message = taken(digest_message(post), *(f"<@{each}>" for each in ids))

    assert everywhere(message, "<@U00039> and 5 more owners: domains")
    assert "<@U00040>" not in str(message)


def test_a_preview_mentions_no_one_and_has_no_buttons() -> None:
    domains = domains_of({"a.example": 40}, tags=("prod",))
    report = report_on(domains, a_baseline({"a.example": 60}), worst_count=5)
    rules = (a_mention("tag:prod", ADMIN_ID, "S0WEB", "nobody"),)

    message = taken(digest_message(a_post(report=report, mentions=rules, is_preview=True)))

    assert message.text.startswith("Preview: only you can see this")
    assert everywhere(message, "It would mention 2 people or groups.")
    assert ADMIN_ID not in str(message)
    assert buttons(message) == {}


def test_a_digest_can_be_managed_and_its_worst_domain_scanned() -> None:
    report = a_report({"b.example": 90, "MÜNCHEN.example": 41})

    message = digest_message(a_post(report=report))

    assert buttons(message) == {"Scan worst": "/scan xn--mnchen-3ya.example"} | MANAGED
    scan, manage = block(message, "actions")["elements"]
    assert scan["action_id"].startswith(f"{RUN_BELOW}.")
    assert manage["action_id"] == MANAGE_DIGEST


def test_the_worst_domain_that_can_be_scanned_is_offered() -> None:
    domains = [
        a_domain("no-id.example", 1, domain_id=None),
        a_domain("no host", 2),
        a_domain("a.example", 3),
        a_domain("unknown.example", None),
    ]

    offered = buttons(digest_message(a_post(report=a_report(domains))))
    nothing = buttons(digest_message(a_post(report=a_report([domains[0], domains[3]]))))

    assert offered["Scan worst"] == "/scan a.example"
    assert nothing == MANAGED


def test_an_empty_portfolio_asks_for_the_first_domain() -> None:
    message = taken(digest_message(a_post(report=a_report({}))))

    assert title(message) == "Health digest: no domains"
    assert everywhere(message, "Your portfolio has no domains. Add one with /adddomain.")
    assert buttons(message) == {"Add domain": "/adddomain"} | MANAGED
    assert not has(message, "data_visualization")


def test_a_filter_that_matches_nothing_says_so_and_what_is_gone() -> None:
    report = a_report({}, {"a.example": 45})

    message = taken(digest_message(a_post(report=report, filter_text="below:50")))

    assert everywhere(message, "No domain matches below:50 now.")
    assert everywhere(message, "a.example")
    assert buttons(message) == {"All domains": "/domains"} | MANAGED


@loop_over(
    ("mode", "silent", "words"),
    [
        pytest.param(Mode.CHANGES, 5, "Nothing known changed in the last 5 runs", id="changed"),
        pytest.param(Mode.WORSE, 5, "Nothing known got worse in the last 5 runs", id="got worse"),
        pytest.param(Mode.CHANGES, 1, "Nothing known changed in the last 1 run", id="one"),
    ],
)
def test_a_sign_of_life_is_short(mode: Mode, silent: int, words: str) -> None:
    scores = {"a.example": 41.0, "b.example": 90.0}
    post = a_post(report=a_report(scores, scores), mode=mode, silent_runs=silent)

    message = taken(heartbeat_message(post))

    assert everywhere(message, words)
    assert f"*{words}* (2 domains, average 65.5)." in shown_text(message)
    assert "1 poor, 1 good." in message.text
    assert buttons(message) == MANAGED
    assert len(message.blocks) == 4


def test_nothing_is_said_to_be_well_of_no_domains() -> None:
    nothing = a_post(report=a_report({}, {}), filter_text="tag:prod")

    for draw in (digest_message, heartbeat_message):
        text = shown_text(taken(draw(nothing)))
        assert "No domain matches `tag:prod` now." in text
        assert "Nothing" not in text


def test_a_digest_and_a_sign_of_life_say_how_old_the_oldest_scan_is() -> None:
    scores = {"a.example": 41.0, "b.example": 90.0}
    known = Coverage(domains=2, scanned=2, dates=2, issues=2, age=timedelta(days=3))
    post = a_post(report=replace(a_report(scores, scores), coverage=known), mode=Mode.WORSE)

    for draw in (digest_message, heartbeat_message):
        assert "Oldest scan 3 days ago." in shown_text(taken(draw(post)))


def test_a_new_digest_is_announced_with_everything_that_was_decided() -> None:
    mentions = (a_mention("tag:prod", ADMIN_ID, "S0WEB"),)
    digest = a_digest(filter_text="tag:prod", mode=Mode.WORSE, mentions=mentions, worst_count=7)

    message = taken(announcement_message(digest))

    for words in (
        "The health digest of Ada is posted in this channel from now on.",
        "Mon–Fri at 09:00 (Europe/Berlin)",
        "tag:prod",
        "When something got worse",
        "7",
        "2 owners of tag:prod",
        "press Manage or type /domaindigest",
    ):
        assert everywhere(message, words), words
    assert f"<!date^{int(digest.next.due_at.timestamp())}^" in shown_text(message)
    assert "First digest: 23 Nov 2026, 08:00 UTC." in message.text
    assert ADMIN_ID not in str(message)
    assert buttons(message) == MANAGED


def test_a_digest_that_moved_is_not_said_to_have_been_made_here() -> None:
    digest = a_digest(made_by_name="bob", changed_by=ADMIN_ID, moved_at=DUE)

    message = taken(announcement_message(digest))

    assert everywhere(message, "The health digest of bob is posted in this channel from now on.")
    assert "set up" not in message.text


def many(name: Callable[[int], str], count: int = 60) -> Post:
    """Return a post in which every list is full, and every name is made by `name`."""
    scores: list[float | None] = [None, 0, 49.9, 60, 79.9, 80, 100]
    now = [a_domain(name(n), scores[n % 7], tags=(name(0),), folder=name(1)) for n in range(count)]
    before = {name(n): scores[n * 3 % 7] for n in range(count // 4, count + count // 4)}
    report = report_on(now, a_baseline(before), worst_count=25)
    text = name(0)
    mentions = tuple(a_mention(f"{kind}:{text}", text, ADMIN_ID) for kind in ("tag", "folder"))
    return a_post(
        report=report,
        trend=a_trend([80.25] * 20),
        sent_at=DUE + timedelta(days=3),
        asked_by_name=text,
        made_by_name=text,
        filter_text=text,
        mentions=mentions,
        unposted=tuple(a_past_run(Outcome.UNCERTAIN) for _ in range(9)),
        is_first=True,
    )


def numbered(text: str) -> Callable[[int], str]:
    return lambda number: f"{number}{text}{number}"


NAMES: dict[str, Callable[[int], str]] = {
    "short": "d{}.example".format,
    "253 characters": lambda number: f"{number:05}.{'a' * 247}",
    "own script": lambda number: f"xn--mnchen-3ya.{'a' * 50}.{'b' * 50}.{'c' * 50}.d{number}.com",
    **{name: numbered(text) for name, text in HOSTILE_TEXTS.items()},
}


@loop_over("name", NAMES.values(), ids=NAMES)
def test_slack_takes_a_digest_of_anything(name: Callable[[int], str]) -> None:
    post = many(name)

    taken(digest_message(post))
    taken(digest_message(replace(post, is_preview=True)))
    taken(heartbeat_message(post))
    taken(announcement_message(post.digest))


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_a_channel_reads_who_did_what_in_one_line(text: str) -> None:
    taken(told_message(a_digest(name=text), text, "⏸️ paused"))

    message = taken(told_message(a_digest(name="Prod"), "Ada", "⏸️ paused", " until 30 Nov"))
    assert message.text == (
        "Ada paused the digest Prod, Mon–Fri at 09:00 (Europe/Berlin) until 30 Nov."
    )


def test_a_first_score_below_fair_is_worse_and_a_better_one_is_not() -> None:
    poor = a_report({"a.example": 41, "b.example": 60}, {"a.example": None, "b.example": None})
    fair = a_report({"b.example": 60}, {"b.example": None})

    text = shown_text(taken(digest_message(a_post(report=poor))))

    assert got_worse(poor)
    assert not got_worse(fair)
    assert fallen(poor) == ("a.example",)
    assert "📉 *1 domain with a first score below fair*" in text
    assert "1 domain with a score now: *b.example*" in text
