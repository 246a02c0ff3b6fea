"""Who is mentioned in a digest. Only ids that Slack makes; never a name from outside. Pure."""

import re
from collections.abc import Sequence

from bot.views.text import plural

MAX_MENTIONED = 40
# https://docs.slack.dev/messaging/formatting-message-text#advanced
_PERSON = re.compile(r"[UW][A-Z0-9]{2,20}")
_GROUP = re.compile(r"S[A-Z0-9]{2,20}")


def mention_tokens(ids: Sequence[str]) -> list[str]:
    """Return mrkdwn that mentions each person and user group; what is no such id is left out."""
    return [token for each in ids if (token := _token(each))]


def owners_line(ids: Sequence[str]) -> str:
    """Return the line that calls the owners of what got worse, or nothing when there are none."""
    tokens = mention_tokens(ids)
    if not tokens:
        return ""
    left_out = len(tokens) - MAX_MENTIONED
    more = f" and {plural(left_out, 'more owner')}" if left_out > 0 else ""
    return f"{' '.join(tokens[:MAX_MENTIONED])}{more}: domains that you look after got worse."


def _token(slack_id: str) -> str:
    if _PERSON.fullmatch(slack_id):
        return f"<@{slack_id}>"
    return f"<!subteam^{slack_id}>" if _GROUP.fullmatch(slack_id) else ""
