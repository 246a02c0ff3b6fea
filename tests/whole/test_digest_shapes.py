"""The form that shapes a digest: short, with the rest behind `More options`."""

import pytest

from bot.playground.slack import View
from tests.whole.digests import make, new_form, open_list, press_in, settled
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]

SHORT = ["Channel", "Repeat", "Days", "Time", "Time zone", "Filter", "Post"]


def labels(form: View) -> list[str]:
    return [block["label"]["text"] for block in form.payload["blocks"] if block["type"] == "input"]


async def choose(app: Harness, form: View, field: str, value: object) -> View:
    await app.bob.choose(form, field, value)
    return await settled(app.bob)


async def test_a_form_is_short_and_what_was_filled_stays_behind_more_options(
    ready: Harness,
) -> None:
    form = await new_form(ready, ready.bob)
    short = labels(form)
    form = await choose(ready, form, "Time", "07:45")
    await ready.bob.choose(form, "Filter", "tag:prod")
    form = await press_in(ready.bob, form, "More options")

    assert short == SHORT
    assert labels(form)[:7] == SHORT
    assert {"Name", "Points of change", "Days before an end", "Least severity"} < {*labels(form)}
    assert (form.values["Time"], form.values["Filter"]) == ("07:45", "tag:prod")
    assert "07:45" in form.everything


async def test_fields_without_a_meaning_are_not_there_and_come_back_as_they_were(
    ready: Harness,
) -> None:
    form = await press_in(ready.bob, await new_form(ready, ready.bob), "More options")
    form = await choose(ready, form, "Time", "07:45")
    assert "Heartbeat" not in labels(form)
    changed = await choose(ready, form, "Post", "When something changed")
    alert = await choose(ready, changed, "Post", "Alert, every 15 minutes")
    back = await choose(ready, alert, "Post", "Every time")

    assert "Heartbeat" in labels(changed)
    assert not {"Time", "Repeat", "Heartbeat", "Worst domains shown"} & {*labels(alert)}
    assert alert.values["Days"] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert back.values["Days"] == ["Mon", "Tue", "Wed", "Thu", "Fri"]
    assert back.values["Time"] == "07:45"


async def test_a_name_and_thresholds_are_saved_and_a_taken_name_is_refused(
    ready: Harness,
) -> None:
    rule = {"Points of change": "10", "Days before an end": "60, 30", "Least severity": "Medium"}
    listed = await make(ready, {"Name": "Prod daily", **rule})
    form = await press_in(ready.bob, listed, "New")
    form = await press_in(ready.bob, form, "More options")
    await ready.bob.submit(form, {"Name": "PROD daily"})
    refused = await settled(ready.bob)
    change = await press_in(ready.bob, await open_list(ready, ready.bob), "Change")
    full = await press_in(ready.bob, change, "More options")

    assert "*Prod daily*" in listed.everything
    assert "Another digest of this channel has that name" in refused.everything
    assert refused.values["Name"] == "PROD daily"
    assert {name: full.values[name] for name in rule} == rule
    assert full.values["Name"] == "Prod daily"
