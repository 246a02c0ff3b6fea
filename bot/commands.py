"""The slash commands: what help, Home, the manifest's test and the router know of each.

A new command is one record here and one handler in `bot/listeners`; see CONTRIBUTING.md.
"""

from dataclasses import dataclass
from enum import IntEnum


class Audience(IntEnum):
    """Who may use a command; each includes those before it."""

    GUESTS = 1
    MEMBERS = 2
    MANAGERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command.

    `does` completes "<name> …" in a sentence, `brief` in a few words; `hint` is what Slack shows
    of the text behind it; `examples` are lines, each with what it does. `opens_form`: so it does
    without text. `operation` is the call of the service that it needs, and `scope` the least
    scope of the key for that, where the service names one. `takes_long`: its answer may take
    minutes, or change something at the service.
    `takes_text`: anything but `help` may stand behind it; else the router refuses it.
    `takes_secrets`: the handler itself refuses a key that was typed behind it.
    """

    name: str
    brief: str
    hint: str = "[help]"
    does: str
    examples: tuple[tuple[str, str], ...]
    note: str = ""
    audience: Audience = Audience.GUESTS
    opens_form: bool = False
    operation: str | None = None
    scope: str | None = None
    takes_long: bool = False
    takes_text: bool = True
    takes_secrets: bool = False


_ALL = (
    Command(
        name="/domains",
        brief="your domains with their health, worst first",
        hint='[words] [tag:x] [folder:"two words"] [below:70] [expires:30]'
        " [sort:score|name|expiry]",
        does="lists your domains with their health scores, worst first",
        examples=(
            ("/domains", "all of them"),
            ("/domains shop", "those with “shop” in their name"),
            ("/domains tag:prod below:70", "tagged prod, with a score below 70"),
            ('/domains folder:"Web shops" type:owned', "in one folder, of one type"),
            ("/domains above:90 sort:name", "the best ones, by name"),
            ("/domains expires:30", "what ends within 30 days, or has ended"),
        ),
        note="Parts: words, tag:x, folder:x, type:x, below:0–100, above:0–100, expires:30 (or"
        " cert:30, registration:30), issues:high, sort:score, sort:name or sort:expiry, page:2."
        ' Put "two words" in quotes. Dates and issues are those of the last scans.',
        operation="list",
        scope="read_domains",
    ),
    Command(
        name="/scan",
        brief="a full scan of one domain",
        hint="[example.com]",
        does="runs a full scan of one domain: WHOIS, DNS, SSL and security",
        examples=(
            ("/scan example.com", "scans it now; this can take up to two minutes"),
            ("/scan", "opens a form to pick a domain"),
        ),
        note="A web address works too. Only domains of your portfolio can be scanned.",
        opens_form=True,
        operation="scan",
        takes_long=True,
    ),
    Command(
        name="/adddomain",
        brief="a new domain in your portfolio",
        hint='[example.com] [type:x] [folder:"x"] [tag:x]',
        does="adds a domain to your portfolio",
        examples=(
            ("/adddomain example.com", "adds it as a domain of your own"),
            ('/adddomain example.com folder:"Web shops" tag:prod tag:eu', "with labels"),
            ("/adddomain", "opens a form"),
        ),
        note="Parts: type:x, folder:x, tag:x (again for each tag).",
        opens_form=True,
        operation="add",
        scope="write_domains",
        takes_long=True,
    ),
    Command(
        name="/domaindigest",
        brief="health posts that come to a channel by themselves",
        does="opens the health digests of a channel: posts about your domains that come by"
        " themselves, on the days and at the time that you choose",
        examples=(("/domaindigest", "shows this channel's digests, and makes and changes them"),),
        note="Everything is chosen in the form that it opens: filter, days, time, when to stay"
        " silent, whom to mention.",
        audience=Audience.MEMBERS,
        opens_form=True,
        takes_text=False,
    ),
    Command(
        name="/domainkey",
        brief="the API key, for admins and managers",
        does="is for workspace admins and the managers that they name: it shows the state of the"
        " Domain Tracker API key, and sets, checks, rotates, rolls back or removes it",
        examples=(("/domainkey", "shows the key's state and what you can do"),),
        note="Never type a key behind the command: the form that it opens is private.",
        audience=Audience.MANAGERS,
        takes_secrets=True,
    ),
)
COMMANDS = {command.name: command for command in _ALL}


def commands_for(audience: Audience) -> list[Command]:
    """Return the commands that this audience may use."""
    return [command for command in _ALL if command.audience <= audience]
