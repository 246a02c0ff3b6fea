from dataclasses import replace
from datetime import date

from bot.api_keys.models import KeyPair, PreviousKey
from bot.views.api_key import MAX_LABEL_CHARS, PROPOSED_LABEL, label_text, proposed_label
from tests.builders import HOSTILE_TEXTS, MOMENT, a_key_record
from tests.loops import loop_over

TODAY = date(2026, 11, 3)


def slots(label: str, earlier_label: str | None = None) -> KeyPair:
    earlier = None
    if earlier_label:
        earlier = PreviousKey("v1.k.x", a_key_record(label=earlier_label), MOMENT)
    return KeyPair(sealed="v1.k.y", record=a_key_record(label=label), earlier=earlier)


@loop_over(
    ("label", "proposed"),
    [
        (PROPOSED_LABEL, "Domain Tracker for Slack, Nov 2026"),
        ("Domain Tracker for Slack, Aug 2026", "Domain Tracker for Slack, Nov 2026"),
        ("Domain Tracker for Slack, Nov 2026", "Domain Tracker for Slack, 3 Nov 2026"),
        ("Domain Tracker for Slack, 3 Nov 2026", "Domain Tracker for Slack, Nov 2026"),
        ("CI (web)", "CI (web), Nov 2026"),
        (", Nov 2026", "Domain Tracker for Slack, Nov 2026"),
    ],
)
def test_the_next_key_is_named_after_the_one_in_use_and_the_month(
    label: str, proposed: str
) -> None:
    assert proposed_label(slots(label), TODAY) == proposed


def test_no_key_that_is_kept_has_the_label_that_is_proposed() -> None:
    label = PROPOSED_LABEL
    taken = []

    for _ in range(5):
        taken.append(label)
        label = proposed_label(slots(*reversed(taken[-2:])), TODAY)
        assert label not in taken[-2:]


def test_a_day_that_is_taken_gets_a_number() -> None:
    both = slots("bot, 3 Nov 2026", "bot, Nov 2026")

    assert proposed_label(both, TODAY) == "bot, 3 Nov 2026 (2)"


@loop_over("text", [*HOSTILE_TEXTS.values(), "x" * MAX_LABEL_CHARS, ""])
def test_the_field_takes_any_label_that_is_proposed(text: str) -> None:
    for earlier in (None, f"{text[:80]}, Nov 2026"):
        proposed = proposed_label(slots(text[:MAX_LABEL_CHARS], earlier), TODAY)

        assert 0 < len(proposed) <= MAX_LABEL_CHARS


def test_a_label_is_never_without_the_last_four_characters() -> None:
    assert label_text(replace(a_key_record(), last4="0R_b")) == "`Slack bot` (`…0R_b`)"
