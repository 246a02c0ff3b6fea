"""What stands on the Home tab, and for whom."""

from dataclasses import replace
from datetime import timedelta

from bot.access.permissions import DEFAULT_AUDIENCES
from bot.blocks.message import Message
from bot.digests.models import Pause
from bot.dispatch.commands import Audience
from bot.domains.kept_facts import KnownFacts
from bot.home.views import MAX_MANAGED, home_view
from bot.keys.failures import FailureReason
from bot.keys.key_record import NoKeyError
from bot.tracker.models import InvalidKeyError, UnavailableError
from bot.tracker.scan_facts import Knowledge
from tests.builders import (
    HOSTILE_TEXTS,
    MOMENT,
    a_domain,
    a_snapshot,
    ending,
    facts_for,
    facts_for_admin,
    failure_message,
)
from tests.home.builders import (
    CHANNEL_ID,
    a_digest,
    a_page,
    a_set_up,
    assert_slack_takes_home,
    labels,
    shown,
)
from tests.loops import loop_over

DAY = timedelta(days=1)
MANY = [a_domain(f"d{number}.example", number) for number in range(90)]


def test_a_member_reads_how_many_domains_are_how_well() -> None:
    text = shown(
        a_page(a_domain(score=41), a_domain("b.example", 90), a_domain("c.example", None))
    )

    assert "*3 domains, average health 65.5*" in text
    assert "🔴 1 poor, 🟢 1 good, ⚪ 1 no score yet" in text


def test_the_five_worst_are_there_each_with_its_scan() -> None:
    page = a_page(*reversed(MANY))

    text = shown(page)

    assert [f"d{number}.example" in text for number in range(6)] == [True] * 5 + [False]
    assert labels(page) == ["Scan", "Add domain", "All domains", "Refresh", *["Scan"] * 5]


def test_what_ends_soon_is_there_the_first_one_first_each_with_its_scan() -> None:
    rows = {f"d{number}.example": ending(30 - number, 90, age=DAY) for number in range(7)}
    ends = KnownFacts(rows | {"d8.example": ending(31), "d9.example": ending()}, MOMENT)
    page = a_page(*MANY, facts=ends)

    text = shown(page)

    assert "⚠️ registration expires in 24 days (scanned 1 day ago)" in text
    assert text.index("in 24 days") < text.index("in 25 days") < text.index("in 28 days")
    assert "in 29 days" not in text
    assert "and 2 more: `/domains expires:30`." in text
    assert "Both dates known for 7 of 90 domains, issues for 0. Oldest scan 1 day ago." in text
    assert labels(page)[4:] == [*["Scan"] * 10, "Scan the rest"]


def test_where_nothing_ends_soon_home_says_only_for_how_many_that_is_known() -> None:
    ends = KnownFacts({"a.example": ending(31, 31)}, MOMENT)

    text = shown(a_page(a_domain("a.example"), a_domain("b.example"), facts=ends))

    assert "Expires soon" not in text
    assert "Both dates known for 1 of 2 domains, issues for 0." in text
    known = KnownFacts(
        {"a.example": ending(31, 31, age=10 * DAY, issue_knowledge=Knowledge.NONE)}, MOMENT
    )
    complete = shown(a_page(a_domain("a.example"), facts=known))
    assert "known for" not in complete
    assert "Oldest scan 10 days ago." in complete


def test_where_nothing_was_scanned_home_offers_to_scan_all() -> None:
    nothing = KnownFacts({}, MOMENT)
    many = [a_domain(f"d{number}.example") for number in range(201)]

    assert labels(a_page(*MANY, facts=nothing))[-1] == "Scan all 90"
    assert labels(a_page(*many, facts=nothing))[-1] == "Scan 200"


def test_no_domains_no_scores_and_no_list_yet_are_three_things() -> None:
    assert labels(a_page()) == ["Add domain", "Refresh"]
    assert "No domain has a score yet" in shown(a_page(a_domain(score=None)))
    for awaited in (a_page(portfolio=None), a_page(is_awaited=True)):
        assert "⏳" in shown(awaited)
        assert "no domains" not in shown(awaited)


def test_the_list_before_stays_while_another_one_is_awaited() -> None:
    text = shown(a_page(a_domain(), is_awaited=True))

    assert "shop.example" in text
    assert "Updated" in text
    assert "⏳ Updating" in text


def test_members_learn_whom_to_ask_and_see_nothing_of_the_setup() -> None:
    text = shown(a_page(a_domain(), managers=("U0MIA", "U0OPS")))

    assert "ask an admin or owner of this workspace, or <@U0MIA>, <@U0OPS>" in text
    assert "Setup" not in text
    assert "/domainkey" not in text


def test_guests_see_the_domains_and_nothing_of_digests_keys_or_managers() -> None:
    text = shown(a_page(a_domain(), audience=Audience.GUESTS, managers=("U0MIA",)))

    assert "shop.example" in text
    assert not any(word in text for word in ("U0MIA", "/domaindigest", "/domainkey"))


def test_a_stranger_sees_nothing_of_the_workspace() -> None:
    page = a_page(a_domain(), audience=None, managers=("U0MIA",))

    assert "shop.example" not in shown(page)
    assert labels(page) == []


def test_a_manager_sees_the_key_and_the_digests() -> None:
    page = a_page(a_domain(), **a_set_up(a_digest()))

    text = shown(page)

    assert {"Replace key", "Check key", "Managers", "Manage"} <= set(labels(page))
    assert f"<#{CHANNEL_ID}>  ·  Mon–Fri at 09:00 (Europe/Berlin)" in text
    assert "next run Mon 4 Mar 2030" in text
    assert "`groups:read`" in text


def test_without_a_key_a_manager_reads_once_how_to_set_one() -> None:
    no_key = failure_message(NoKeyError("none"), facts_for_admin())
    page = a_page(portfolio=no_key, is_connected=False, **a_set_up(is_connected=False))

    assert shown(page).count("not connected") == 1
    assert labels(page)[0] == "Set key"
    no_key = failure_message(NoKeyError("none"), facts_for())
    assert "ask a workspace admin or owner" in shown(a_page(portfolio=no_key, is_connected=False))


def test_a_failing_service_hides_nothing_else() -> None:
    error = UnavailableError("down", is_outcome_unknown=False)
    down = failure_message(error, facts_for_admin(command_line=None))
    page = a_page(portfolio=down, **a_set_up(a_digest()))

    assert "is unavailable" in shown(page)
    assert {"Refresh", "Replace key", "Manage"} <= set(labels(page))
    assert "Try again" not in labels(page)
    assert "shop.example" in shown(a_page(a_domain(), key=Message("Down.")))


def test_a_refused_key_can_be_replaced_right_there_and_looked_at_again() -> None:
    refused = failure_message(InvalidKeyError("no"), facts_for_admin(command_line=None))

    assert labels(a_page(portfolio=refused)) == ["Replace key", "Check key", "Refresh"]


def test_of_many_digests_the_first_have_buttons_and_the_others_a_line() -> None:
    digests = [a_digest(number) for number in range(114)]
    page = a_page(a_domain(), **a_set_up(*digests))

    assert labels(page).count("Manage") == MAX_MANAGED
    assert "114 digests" in shown(page)
    assert shown(page).count("• <#") == 100
    assert "• and 2 more" in shown(page)


def test_a_digest_that_needs_somebody_comes_first() -> None:
    paused = Pause(since=MOMENT, why=FailureReason.NOT_IN_CHANNEL)
    needy = replace(a_digest(9, filter_text="tag:needy"), pause=paused)
    text = shown(a_page(a_domain(), **a_set_up(*map(a_digest, range(8)), needy)))

    assert text.index("tag:needy") < text.index("all domains")


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_nothing_from_outside_acts_or_breaks_the_tab(text: str) -> None:
    domain = a_domain(text, 3, folder=text, tags=(text, text), domain_id=text)
    digest = a_digest(filter_text=text)
    page = a_page(domain, **a_set_up(digest))

    assert_slack_takes_home(home_view(page))


def test_a_member_is_asked_once_to_have_the_app_connected() -> None:
    text = failure_message(NoKeyError(), facts_for(command_line=None))
    page = a_page(portfolio=text, is_connected=False)

    assert "Please ask a workspace admin or owner to connect it" in shown(page)
    assert "ask an admin or owner of this workspace" not in shown(page)
    assert "or <@U0MIA>" in shown(replace(page, managers=("U0MIA",)))


def test_the_fullest_tab_is_small_enough_for_slack() -> None:
    domains = [
        a_domain("ü" * 250 + f"{n}", n, folder="é" * 300, tags=("ß" * 300,)) for n in range(9)
    ]
    digests = [a_digest(number, filter_text="ä" * 400) for number in range(999)]
    set_up = a_set_up(*digests)

    drawn = home_view(a_page(portfolio=a_snapshot(*domains), **set_up))

    assert_slack_takes_home(drawn)
    assert len(drawn.blocks) < 60


EVERYONE = {"add": Audience.GUESTS, "scan": Audience.GUESTS}
MANAGERS = {"add": Audience.MANAGERS, "scan": Audience.MANAGERS}


@loop_over(
    ("audiences", "audience", "offered"),
    [
        (DEFAULT_AUDIENCES, Audience.GUESTS, {"Scan"}),
        (DEFAULT_AUDIENCES, Audience.MEMBERS, {"Scan", "Add domain"}),
        (EVERYONE, Audience.GUESTS, {"Scan", "Add domain"}),
        (MANAGERS, Audience.MEMBERS, set()),
    ],
)
def test_the_tab_offers_what_is_allowed(
    audiences: dict[str, Audience], audience: Audience, offered: set[str]
) -> None:
    managed = a_page(a_domain(), audiences=audiences, **a_set_up())
    assert {"Scan", "Add domain"} <= set(labels(managed))
    page = a_page(a_domain(), audience=audience, audiences=audiences)

    assert {"Scan", "Add domain"} & set(labels(page)) == offered
    assert ("`/adddomain`" in shown(page)) == ("Add domain" in offered)
    assert ("`/scan`" in shown(page)) == ("Scan" in offered)
    assert "All domains" in labels(page)
