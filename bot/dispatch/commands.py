"""The slash commands: what help, Home, the manifest's test and the router know of each."""

from dataclasses import dataclass
from enum import IntEnum


class Audience(IntEnum):
    """Who may use a command. Admins choose it for some: see `bot.access.permissions`."""

    GUESTS = 1
    MEMBERS = 2
    MANAGERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command.

    `does` completes "<name> …" in a sentence, `brief` in a few words; `hint` is what Slack shows
    of the text behind it; `examples` are lines, each with what it does. `opens_form`: so it does
    without text. `operation` is the call of the service that it needs, and `scope` the least
    scope of the key for that, where the service names one.
    `changes`: it may change something, so that a failure says that nothing was changed.
    `button`: the label of its button in direct messages with the bot, below the list of all
    commands, if it has one there. The buttons of Home are in `bot/home/views.py`.
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
    changes: bool = False
    button: str | None = None


_ALL = (
    Command(
        name="/domains",
        button="All domains",
        brief="your domains with their health, worst first",
        hint='[words] [tag:x] [folder:"two words"] [below:70] [expires:30]'
        " [sort:score|name|expiry]",
        does="lists your domains with their health scores, worst first",
        examples=(
            ("/domains", "all your domains"),
            ("/domains shop", "names containing “shop”"),
            ("/domains tag:prod below:70", "tagged prod, score below 70"),
            ('/domains folder:"Web shops" type:owned', "one folder, one type"),
            ("/domains above:90 sort:name", "above 90, sorted by name"),
            ("/domains expires:30", "expires within 30 days, or has expired"),
        ),
        note="Filters: text, tag:x, folder:x, type:x, below:0–100, above:0–100, expires:30,"
        " issues:high, scanned:never, sort:score (or sort:name, sort:expiry), page:2."
        ' Put "two words" in quotes. Dates and issues are from the last scans.',
        operation="list",
        scope="read_domains",
    ),
    Command(
        name="/scan",
        button="Scan",
        brief="a full scan of one domain, or of many",
        hint='[example.com …] [tag:x] [folder:"two words"] [below:50] [expires:30]',
        does="scans domains: WHOIS, DNS, SSL, and security",
        examples=(
            ("/scan example.com", "scans it now; this can take up to 2 minutes"),
            ("/scan tag:prod below:50", "scans every match, after you confirm"),
            ("/scan a.example b.example", "several names, one scan after the other"),
            ("/scan", "opens a form to pick domains"),
        ),
        note="A web address works too. The domains have to be in your portfolio. Filters as for"
        " `/domains`, for up to 200 domains at once.",
        opens_form=True,
        operation="scan",
    ),
    Command(
        name="/adddomain",
        button="Add domain",
        brief="new domains in your portfolio",
        hint='[example.com …] [type:x] [folder:"x"] [tag:x]',
        does="adds domains to your portfolio, one or a list",
        examples=(
            ("/adddomain example.com", "adds a domain you own"),
            ('/adddomain example.com folder:"Web shops" tag:prod tag:eu', "with folder and tags"),
            ("/adddomain a.example b.example tag:prod", "a list: asks before it adds"),
            ("/adddomain", "opens a form, also for a pasted list"),
        ),
        note="Options: type:x, folder:x, tag:x (repeat for more tags). A list has at most 200"
        " domains; its options apply to all of them.",
        audience=Audience.MEMBERS,
        opens_form=True,
        operation="add",
        changes=True,
        scope="write_domains",
    ),
    Command(
        name="/domaindigest",
        button="Digests",
        brief="scheduled health summaries for a channel",
        hint='[weekdays 9:00] [tag:x] [changed|worse] [name:"x"] [me]',
        does="posts scheduled health summaries to a channel, on days and at a time you choose",
        examples=(
            ("/domaindigest", "shows this channel's digests; make or change them there"),
            ("/domaindigest daily 9:00 tag:prod", "makes a digest in this channel"),
            ("/domaindigest weekdays 8:30 below:70 worse", "only when something got worse"),
            ("/domaindigest every 2 weeks mon", "or: mon wed fri, monthly 1, monthly last fri"),
            ("/domaindigest every 15 minutes", "an alert as soon as something gets worse"),
            ("/domaindigest daily me", "into your own direct messages, seen by you alone"),
            ("/domaindigest pause Prod", "also resume, send and delete, by the digest's name"),
        ),
        note="After the days, in any order: time, time zone, filters as for `/domains`, changed"
        " or worse, name:x, me. Without a time it is 9:00, without a zone yours.",
        audience=Audience.MEMBERS,
        opens_form=True,
        changes=True,
    ),
    Command(
        name="/domainkey",
        brief="the API key, for admins and managers",
        does="shows and manages the Domain Tracker API key, for admins and appointed managers",
        examples=(("/domainkey", "shows the key's state and what you can do"),),
        note="Never type a key after the command. The form it opens is private.",
        audience=Audience.MANAGERS,
    ),
)
COMMANDS = {command.name: command for command in _ALL}
