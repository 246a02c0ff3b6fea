"""The form that makes or changes a digest, as it is drawn and as it comes back."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.digests.draft import NEVER, Draft, FormNote, draft_of, plan_of
from bot.digests.form_parse import (
    checked_values,
    draft_in,
    hidden_values,
    kept_rules,
    read_pause_form,
    sent_draft,
)
from bot.digests.models import (
    HEARTBEATS,
    MAX_FILTER_CHARS,
    POINTS,
    REMIND_AFTER,
    WORST_COUNTS,
    Digest,
    Mention,
    Mode,
    Pause,
    Plan,
    Reminder,
    Rule,
)
from bot.digests.schedule import Schedule
from bot.digests.views.form_fields import LEAST, zone_option
from bot.digests.views.modal import edit_blocks, edit_form, pause_form
from bot.playground.slack.block_contents import state_values
from bot.process.zones import zone_names
from tests.blocks.acceptance import Json, assert_slack_takes_form, shown
from tests.builders import ADMIN_ID, HOSTILE_TEXTS, KEY
from tests.digests.builders import DUE, ZONE, a_digest, a_mention, a_schedule
from tests.loops import loop_over

LABELS = [
    *("Channel", "Repeat", "Days", "Time", "Time zone", "Filter", "Post"),
    *(
        "Name",
        "Worst domains shown",
        "File",
        "Points of change",
        "Days before an end",
        "Least severity",
    ),
    *("Tag or folder", "Mention", "Mention user group"),
]
SHORT_LABELS = LABELS[:7]


def drawn(draft: Draft | None = None, digest: Digest | None = None, **note: Any) -> Json:
    """Return the form, which Slack takes."""
    noted: dict[str, Any] = {"nonce": "cafe", "zone": ZONE, "has_more": True}
    made = FormNote(**noted | note)
    blocks = edit_blocks(draft or Draft(channel_id="C0OPS", zone=ZONE), made, DUE, digest)
    form = edit_form(made, blocks, "m" * 3_000)
    assert_slack_takes_form(form)
    return form


def form_text(*given: Any, **editing: Any) -> str:
    return "\n".join(shown(drawn(*given, **editing)))


def fields_of(form: Json) -> dict[str, Json]:
    inputs = [block for block in form["blocks"] if block["type"] == "input"]
    return {block["label"]["text"]: block for block in inputs}


def state_of(form: Json) -> Json:
    """Return what Slack sends of a form that no one has touched."""
    values: Json = state_values(form["blocks"], {})
    return values


def plan_in(values: Json, hidden: Json = None) -> Plan:
    return plan_of(sent_draft(checked_values(values), hidden or {}))


def kept_in(form: Json, rules: Sequence[Mention]) -> list[str]:
    return [rule.label for rule in kept_rules(draft_in(state_of(form), {}), rules)]


def test_a_new_digest_runs_on_working_days_at_nine() -> None:
    form = drawn()

    assert plan_in(state_of(form)) == Plan(channel_id="C0OPS", schedule=a_schedule())
    assert (form["title"]["text"], form["submit"]["text"]) == ("New digest", "Save")
    assert list(fields_of(form)) == LABELS
    assert list(fields_of(drawn(has_more=False))) == SHORT_LABELS


def test_the_block_ids_stay_the_same_as_long_as_the_nonce_does() -> None:
    def block_ids(form: Json) -> list[str]:
        return [block["block_id"] for block in fields_of(form).values()]

    other = Draft(days=frozenset({6}), zone="UTC")
    assert block_ids(drawn()) == block_ids(drawn(other, digest=a_digest()))
    assert not set(block_ids(drawn())) & set(block_ids(drawn(nonce="beef")))


def test_every_rule_has_a_box_that_is_ticked_and_says_whom_it_mentions() -> None:
    digest = a_digest(mentions=(a_mention("tag:a"), a_mention("folder:Web shops")))

    form = drawn(digest=digest)

    boxes = fields_of(form)["Mention rules"]["element"]
    assert [each["text"]["text"] for each in boxes["options"]] == ["tag:a", "folder:Web shops"]
    assert boxes["options"][0]["description"]["text"] == f"<@{ADMIN_ID}>"
    assert boxes["initial_options"] == boxes["options"]
    assert kept_in(form, digest.plan.mentions) == ["tag:a", "folder:Web shops"]


@loop_over(
    ("until", "words", "first"),
    [
        (None, "Paused. If resumed now:", "Mon 23 Nov 2026"),
        (datetime(2026, 11, 29, 23, tzinfo=UTC), "Paused until 30 Nov 2026.", "Mon 30 Nov 2026"),
        (datetime(2026, 12, 2, 8, tzinfo=UTC), "Paused until 2 Dec 2026.", "Wed 2 Dec 2026"),
        (datetime(2026, 11, 18, 23, tzinfo=UTC), "*Next five runs*\n• ", "Mon 23 Nov 2026"),
    ],
    ids=["open", "the beginning of a day", "the moment of a slot", "over"],
)
def test_the_next_runs_follow_the_pause(until: datetime | None, words: str, first: str) -> None:
    text = form_text(digest=a_digest(pause=Pause(since=DUE, by=ADMIN_ID, until=until)))

    assert words in text
    assert text.split("• ")[1].startswith(f"{first}, 09:00")


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
    heartbeat_every=st.none() | st.sampled_from(HEARTBEATS),
    worst_count=st.sampled_from(WORST_COUNTS),
    name=st.sampled_from(["", "Prod", "Rosé & <co>"]),
    rule=st.builds(
        Rule,
        points=st.sampled_from(POINTS),
        days=st.sampled_from([(30, 14, 7, 1), (365,), (90, 60, 30, 14, 7, 1)]),
        least=st.sampled_from(LEAST),
    ),
)


def monthly_of(plan: Plan) -> Plan:
    monthly = replace(plan.schedule, days=frozenset(), month_day="last fri")
    return replace(plan, schedule=monthly)


WHO = st.from_regex(r"[UW][A-Z0-9]{2,12}", fullmatch=True)
REMINDERS = st.builds(
    Reminder,
    after=st.sampled_from(REMIND_AFTER),
    people=st.lists(WHO, unique=True, min_size=1, max_size=10).map(tuple),
    group=st.none() | st.just(("S0ONCALL", "@on-call")),
)


def alert_of(plan: Plan, reminder: Reminder | None) -> Plan:
    schedule = replace(plan.schedule, every=30, at=time(9))
    return replace(plan, mode=Mode.WORSE, schedule=schedule, reminder=reminder)


ALERTS = st.builds(alert_of, PLANS, st.none() | REMINDERS)


@given(plan=PLANS | ALERTS | PLANS.map(monthly_of))
def test_whatever_was_planned_comes_back_from_the_form_as_it_was(plan: Plan) -> None:
    for has_more in (True, False):
        form = drawn(draft_of(plan), has_more=has_more)
        hidden = json.loads(json.dumps(hidden_values(draft_of(plan), form["blocks"])))

        assert plan_in(state_of(form), hidden) == plan


ANY_DRAFT = st.builds(
    Draft,
    channel_id=st.none() | st.from_regex(r"[A-Z0-9]{2,30}", fullmatch=True),
    days=st.frozensets(st.integers(0, 6)),
    at=st.none() | st.text(),
    zone=st.none() | st.text(),
    filter_text=st.text(max_size=MAX_FILTER_CHARS + 9).map(lambda text: text.replace("_sk_", "")),
    mode=st.text(),
    life=st.text() | st.sampled_from([NEVER, "5", "12"]),
    repeat=st.sampled_from(["weekly", "monthly", "?"]),
    month_day=st.text(),
    name=st.text(max_size=60),
    points=st.text(),
    end_days=st.text(),
    least=st.text(),
    worst=st.text() | st.sampled_from(["5", "26", "9" * 5_000, "\N{ARABIC-INDIC DIGIT SEVEN}"]),
    label=st.none() | st.text(),
    people=st.lists(WHO, unique=True, max_size=12).map(tuple),
)


@given(draft=ANY_DRAFT)
def test_whatever_was_filled_in_can_be_drawn_again(draft: Draft) -> None:
    blocks = edit_blocks(draft, FormNote(has_more=True), DUE, None)

    again = draft_in(state_of({"blocks": blocks}), hidden_values(draft, blocks))

    # What Slack would refuse is left out; the rest is as it was.
    assert again.days == draft.days or not draft.days
    assert again.filter_text == draft.filter_text[:MAX_FILTER_CHARS]


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_what_others_wrote_does_nothing(text: str) -> None:
    mentions = (a_mention(text), a_mention(f"tag:{text}", text))
    digest = a_digest(made_by_name=text, mentions=mentions)

    drawn(Draft(zone=text, mode=text, life=text, label=text), digest=digest, zone=text)


def test_a_key_typed_as_a_filter_is_not_sent_back() -> None:
    form = drawn(Draft(channel_id="C0OPS", zone=ZONE, filter_text=f"shop {KEY}"))

    assert "initial_value" not in fields_of(form)["Filter"]["element"]


@loop_over("name", sorted(zone_names())[::40])
def test_a_time_zone_is_offered_with_its_offset_under_its_own_name(name: str) -> None:
    offered = zone_option(name, DUE)

    assert offered["value"] == offered["text"]["text"] == name
    assert offered["description"]["text"].startswith("UTC")


def test_a_pause_has_an_end_or_none() -> None:
    form = pause_form(a_digest(), "n", "m", until=date(2030, 3, 1), note="⚠️ Late.")

    assert_slack_takes_form(form)
    assert read_pause_form(state_of(form)) == date(2030, 3, 1)
    assert read_pause_form(state_of(pause_form(a_digest(), "n", "m"))) is None
