"""Home tabs to look at, and what holds for all of them."""

import json
import re
from dataclasses import replace
from datetime import time, timedelta
from typing import Any

from bot.blocks.message import Message
from bot.digests.edits import Editor, create
from bot.digests.models import Digest, Plan
from bot.digests.schedule import Schedule
from bot.dispatch.commands import Audience
from bot.domainkey.views import key_state_message
from bot.home.views import HomePage, home_view
from bot.tracker.models import Domain
from tests.blocks.acceptance import PLAIN_BLOCKS, assert_slack_takes_form
from tests.blocks.accessible import objects
from tests.builders import ADMIN_ID, MOMENT, a_key_record, a_snapshot, pair_of

CHANNEL_ID = "C0SHOPS"
DAILY = Schedule(days=frozenset(range(5)), at=time(9), zone="Europe/Berlin")
# What Slack makes of these is its own: names, which it hides from those who may not read them.
_NAMES = re.compile(r"<(#C0[A-Z]+|@U0[A-Z]+|!subteam\^S0[A-Z]+)>")


def a_digest(number: int = 1, **plan: Any) -> Digest:
    defaults: dict[str, Any] = {"channel_id": CHANNEL_ID, "schedule": DAILY}
    by = Editor(user_id=ADMIN_ID, name="ada")
    digest = create(f"d{number}", Plan(**(defaults | plan)), by, MOMENT)
    later = replace(digest.next, due_at=digest.next.due_at + timedelta(minutes=number))
    return replace(digest, next=later)


def a_set_up(*digests: Digest, is_connected: bool = True) -> dict[str, Any]:
    """Return the fields of the page of a manager."""
    pair = pair_of(a_key_record()) if is_connected else None
    key = key_state_message(pair, None, MOMENT)
    return {"audience": Audience.MANAGERS, "key": key, "digests": digests}


def a_page(*domains: Domain, **fields: Any) -> HomePage:
    defaults: dict[str, Any] = {"now": MOMENT, "portfolio": a_snapshot(*domains)}
    return HomePage(**(defaults | fields))


def shown(page: HomePage) -> str:
    """Return everything that is on the tab, after Slack has taken it, and its fallback."""
    drawn = home_view(page)
    assert_slack_takes_home(drawn)
    return json.dumps(drawn.blocks, ensure_ascii=False)


def assert_slack_takes_home(drawn: Message) -> None:
    plain = drawn.fallback() or drawn
    for each in (drawn, plain):
        view = {"type": "home", "blocks": each.blocks}
        assert_slack_takes_form(json.loads(_NAMES.sub("", json.dumps(view, ensure_ascii=False))))
    assert {block["type"] for block in plain.blocks} <= PLAIN_BLOCKS


def labels(page: HomePage) -> list[str]:
    """Return the buttons of the tab, in their order."""
    parts = objects(home_view(page).blocks)
    return [each["text"]["text"] for each in parts if each.get("type") == "button"]
