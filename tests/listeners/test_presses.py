"""What is known of that which was done in open forms and tabs."""

from bot.listeners.modals import ViewVersions


def test_only_the_latest_press_in_a_place_counts() -> None:
    presses = ViewVersions()

    first = presses.note("V1")
    presses.note("V2")
    was_latest = presses.is_latest("V1", first)
    presses.note("V1")

    assert was_latest
    assert not presses.is_latest("V1", first)


def test_places_are_forgotten_by_how_their_names_begin() -> None:
    presses = ViewVersions()
    for place in ("T1/U1", "T10/U1"):
        presses.note_drawn(place, "hash")

    presses.forget("T1/")

    assert [presses.drawn_hash(place, 1) for place in ("T1/U1", "T10/U1")] == [None, "hash"]
