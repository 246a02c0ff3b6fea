"""The form that makes or changes a digest, as it is drawn and as it comes back."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.digest import WORST_COUNTS, Mention, Mode, Plan
from bot.digests.schedule import Schedule, zone_names
from bot.listeners.digests.reading import draft_in, read_digest_form, read_pause_form
from bot.playground.slack.elements import state_values
from bot.views.digests.draft import MAX_FILTER_CHARS, MAX_LIFE, NEVER, Draft, draft_of
from bot.views.digests.form import Editing, edit_form, zone_option
from bot.views.digests.pause import pause_form
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, KEY
from tests.digests.builders import DUE, ZONE, a_digest, a_mention, a_schedule
from tests.views.acceptance import Json, assert_slack_takes_form, buttons, shown

LABELS = [
    *("Channel", "Days", "Time", "Time zone", "Filter", "Post", "Sign of life"),
    *("Worst domains shown", "Tag or folder", "Mention", "Mention user group"),
]


def drawn(draft: Draft | None = None, **editing: Any) -> Json:
    """Return the form, which Slack takes."""
    fields: dict[str, Any] = {
        "draft": draft or Draft(channel_id="C0OPS", zone=ZONE),
        "nonce": "cafe",
        "now": DUE,
        "reader_zone": ZONE,
    }
    form = edit_form(Editing(**(fields | editing)), "m" * 3_000)
    assert_slack_takes_form(form)
    return form


def told(*given: Any, **editing: Any) -> str:
    return "\n".join(shown(drawn(*given, **editing)))


def fields_of(form: Json) -> dict[str, Json]:
    inputs = [block for block in form["blocks"] if block["type"] == "input"]
    return {block["label"]["text"]: block for block in inputs}


def state_of(form: Json) -> Json:
    """Return what Slack sends of a form that nobody has touched."""
    values: Json = state_values(form["blocks"], {}, None)
    return values


def test_a_new_digest_runs_on_working_days_at_nine() -> None:
    form = drawn()

    plan = read_digest_form(state_of(form)).plan
    assert plan == Plan(channel_id="C0OPS", schedule=a_schedule())
    assert (form["title"]["text"], form["submit"]["text"]) == ("New digest", "Save")
    assert list(fields_of(form)) == LABELS


def test_what_tells_of_every_change_is_what_the_next_runs_depend_on() -> None:
    telling = [name for name, block in fields_of(drawn()).items() if block.get("dispatch_action")]

    assert telling == ["Days", "Time", "Time zone"]


def test_the_block_ids_stay_the_same_as_long_as_the_nonce_does() -> None:
    def block_ids(form: Json) -> list[str]:
        return [block["block_id"] for block in fields_of(form).values()]

    other = Draft(days=frozenset({6}), zone="UTC")
    assert block_ids(drawn()) == block_ids(drawn(other, digest=a_digest()))
    assert not set(block_ids(drawn())) & set(block_ids(drawn(nonce="beef")))


def test_what_cannot_be_left_out_is_required() -> None:
    optional = [name for name, block in fields_of(drawn()).items() if block["optional"]]

    assert optional == ["Filter", "Tag or folder", "Mention", "Mention user group"]


def test_the_next_five_runs_are_told_for_both_clocks() -> None:
    text = told(reader_zone="America/New_York")

    assert "*Next five runs*\n• Mon 23 Nov 2026, 09:00 Berlin time  ·  03:00 for you" in text
    assert text.count("Berlin time  ·  ") == 5


def test_a_change_of_the_clocks_is_noted_below_the_runs() -> None:
    text = told(now=datetime(2026, 10, 22, tzinfo=UTC))

    assert "\n🕑 The clocks in Berlin go back an hour on Sun 25 Oct 2026 at 03:00" in text


@pytest.mark.parametrize(
    "draft",
    [
        Draft(zone=ZONE, days=frozenset()),
        Draft(zone=ZONE, at=None),
        Draft(zone=None),
        Draft(zone="Mars/Olympus"),
    ],
    ids=["no day", "no time", "no zone", "no such zone"],
)
def test_without_a_schedule_there_are_no_runs_to_show(draft: Draft) -> None:
    assert "_Choose days, a time and a time zone to see them._" in told(draft)


def test_a_form_about_a_digest_says_who_made_it_and_can_be_left() -> None:
    form = drawn(digest=a_digest(made_by_name="Ada"))

    assert form["title"]["text"] == "Change digest"
    assert "Made by `Ada`, <!date^" in "\n".join(shown(form))
    assert list(buttons(form)) == ["Back"]


def test_why_it_was_not_saved_stands_on_top() -> None:
    assert drawn(said="⚠️ *Not saved.*")["blocks"][0]["text"]["text"] == "⚠️ *Not saved.*"


def test_rules_are_listed_with_a_button_each_but_not_the_removed_ones() -> None:
    digest = a_digest(mentions=(a_mention("tag:a"), a_mention("tag:b"), a_mention("tag:c")))

    form = drawn(digest=digest, removed=frozenset({1}))

    text = "\n".join(shown(form))
    assert f"`tag:a` → <@{ADMIN_ID}>" in text
    assert "tag:b" not in text
    assert "1 rule will be gone once you press `Save`." in text
    removing = [block["accessory"] for block in form["blocks"] if "accessory" in block][1:]
    assert [each["value"] for each in removing] == ["0", "2"]


def test_beyond_ten_rules_there_is_no_field_for_another() -> None:
    digest = a_digest(mentions=(a_mention(),) * 10)

    assert "Tag or folder" not in fields_of(drawn(digest=digest))
    assert "10 rules are the most" in told(digest=digest)
    assert "Tag or folder" in fields_of(drawn(digest=digest, removed=frozenset({9})))


def test_a_value_that_came_from_elsewhere_can_be_kept() -> None:
    form = drawn(draft_of(replace(a_digest().plan, heartbeat_every=12)))

    shown_values = [
        o["text"]["text"] for o in fields_of(form)["Sign of life"]["element"]["options"]
    ]
    assert "After 12 silent runs" in shown_values
    assert read_digest_form(state_of(form)).plan.heartbeat_every == 12


FILTER_PARTS = [
    *("shop", "tag:prod", 'folder:"Web shops"', "below:80", "above:5", "type:owned"),
    *("münchen", 'tag:"a b"', "R&amp;D", "“two words”", "tag:a<b", "http://x.example/y"),
]
PLANS = st.builds(
    Plan,
    channel_id=st.from_regex(r"[CG][A-Z0-9]{1,20}", fullmatch=True),
    schedule=st.builds(
        Schedule,
        days=st.frozensets(st.integers(0, 6), min_size=1),
        at=st.builds(time, st.integers(0, 23), st.integers(0, 59)),
        zone=st.sampled_from(sorted(zone_names())),
    ),
    filter_text=st.lists(st.sampled_from(FILTER_PARTS), unique=True).map(" ".join),
    mode=st.sampled_from(Mode),
    heartbeat_every=st.none() | st.integers(1, MAX_LIFE),
    worst_count=st.sampled_from(WORST_COUNTS),
)
WHO = st.from_regex(r"[UW][A-Z0-9]{2,12}", fullmatch=True)
GROUPS = st.from_regex(r"S[A-Z0-9]{2,12}", fullmatch=True)


@given(plan=PLANS)
def test_whatever_was_planned_comes_back_from_the_form_as_it_was(plan: Plan) -> None:
    assert read_digest_form(state_of(drawn(draft_of(plan)))).plan == plan


@given(
    label=st.sampled_from(["tag:prod", "folder:Web shops", "tag:&<>"]),
    people=st.lists(WHO, unique=True, max_size=10),
    group=st.none() | GROUPS,
)
def test_a_new_rule_comes_back_too(label: str, people: list[str], group: str | None) -> None:
    who = (*people, *([group] if group else []))
    draft = Draft(channel_id="C0OPS", zone=ZONE, label=label if who else None)
    draft = replace(draft, people=tuple(people), group=(group, "@web") if group else None)

    given = read_digest_form(state_of(drawn(draft)))

    assert given.plan.mentions == ((Mention(label=label, who=who),) if who else ())
    assert given.draft == draft


ANY_DRAFT = st.builds(
    Draft,
    channel_id=st.none() | st.from_regex(r"[A-Z0-9]{2,30}", fullmatch=True),
    days=st.frozensets(st.integers(0, 6)),
    at=st.none() | st.text(),
    zone=st.none() | st.text(),
    filter_text=st.text(max_size=MAX_FILTER_CHARS + 9).map(lambda text: text.replace("_sk_", "")),
    mode=st.text(),
    life=st.text() | st.sampled_from([NEVER, "5", "12"]),
    worst=st.text() | st.sampled_from(["5", "25", "26", "\N{ARABIC-INDIC DIGIT SEVEN}"]),
    label=st.none() | st.text(),
    people=st.lists(WHO, unique=True, max_size=12).map(tuple),
)


@given(draft=ANY_DRAFT)
def test_whatever_was_filled_in_can_be_drawn_again(draft: Draft) -> None:
    form = edit_form(Editing(draft=draft, nonce="n", now=DUE, reader_zone=None), "m")

    again = draft_in(state_of(form))

    # What Slack would refuse is left out; the rest is as it was.
    assert again.days == draft.days
    assert again.filter_text == draft.filter_text[:MAX_FILTER_CHARS]


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_others_wrote_does_nothing(text: str) -> None:
    mentions = (a_mention(text), a_mention(f"tag:{text}", text))
    digest = a_digest(made_by_name=text, mentions=mentions)

    drawn(Draft(zone=text, mode=text, life=text, label=text), digest=digest, reader_zone=text)


def test_a_key_typed_as_a_filter_is_not_sent_back() -> None:
    form = drawn(Draft(channel_id="C0OPS", zone=ZONE, filter_text=f"shop {KEY}"))

    assert "initial_value" not in fields_of(form)["Filter"]["element"]


@pytest.mark.parametrize("name", sorted(zone_names())[::40])
def test_a_time_zone_is_offered_with_its_offset_under_its_own_name(name: str) -> None:
    offered = zone_option(name, DUE)

    assert offered["value"] == offered["text"]["text"] == name
    assert offered["description"]["text"].startswith("UTC")


def test_a_pause_has_an_end_or_none() -> None:
    form = pause_form("Mon–Fri", "n", "m", until=date(2030, 3, 1), said="⚠️ Late.")

    assert_slack_takes_form(form)
    assert read_pause_form(state_of(form), date(2030, 3, 1)) == date(2030, 3, 1)
    assert read_pause_form(state_of(pause_form("Mon", "n", "m")), date(2030, 3, 1)) is None
