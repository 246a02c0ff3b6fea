"""Why a run failed or a digest is paused, and what helps: the words that all share. Pure."""

from bot.digests.digest import Trouble

INVITE = "`/invite @Domain Tracker`"

# What happened, as the end of a sentence, and how to mend it. `{channel}` is the channel,
# `{change}` the button that leads to the form in which another one is chosen.
_TROUBLES: dict[Trouble, tuple[str, str]] = {
    Trouble.SERVICE: ("Domain Tracker did not answer", "That usually passes by itself."),
    Trouble.RATE: (
        "the hour's requests to Domain Tracker were used up",
        "They come back within an hour.",
    ),
    Trouble.SCOPE: (
        "the workspace's API key may not list domains",
        "An admin can enter a key with the scope `read_domains`: `/domainkey`.",
    ),
    Trouble.ADDRESS: (
        "Domain Tracker does not take calls from the bot's address",
        "An admin can allow that address in the API key's IP restrictions.",
    ),
    Trouble.KEY: (
        "the workspace has no API key that works",
        "An admin can set one with `/domainkey`.",
    ),
    Trouble.SLACK: ("Slack did not take the post", "That usually passes by itself."),
    # Who is archived with a channel does not come back with it: see `LocalSlack.archive`.
    Trouble.ARCHIVED: (
        "the channel is archived",
        "Unarchive {channel} and invite me again: type "
        + INVITE
        + " in it. Or choose another channel with {change}.",
    ),
    Trouble.NOT_IN_CHANNEL: (
        "the bot is not in the channel",
        "Go to {channel} and type " + INVITE + " in it, or choose another channel with {change}.",
    ),
    Trouble.NOT_FOUND: (
        "the channel is gone, or private and without the bot",
        "If it is still there, type "
        + INVITE
        + " in it. If not, choose another channel with {change}.",
    ),
    Trouble.RESTRICTED: (
        "the settings of the channel or of the organization do not let the bot post",
        "Ask whoever manages {channel} to let apps post, or choose another with {change}.",
    ),
    Trouble.UNINSTALLED: (
        "Slack does not let the bot into this workspace any more",
        "An admin can install Domain Tracker again.",
    ),
    Trouble.PERMISSION: (
        "the app lacks a permission in this workspace",
        "An admin can install Domain Tracker again, which asks for it.",
    ),
    Trouble.CHANGED: ("it was changed or paused at that moment", ""),
    Trouble.ZONE: ("its time zone is no longer known", "Choose another one with {change}."),
    Trouble.OURS: (
        "the bot made a mistake",
        "Please tell whoever runs the bot: its log says more.",
    ),
    Trouble.DOWN: ("the bot was not running", ""),
}


def trouble_words(trouble: Trouble) -> str:
    """Return why a run failed, as the end of a sentence: `Domain Tracker did not answer`."""
    return _TROUBLES[trouble][0]


def uncertain_words(trouble: Trouble | None) -> str:
    """Return why nobody knows whether a run was posted, as the end of a sentence."""
    if trouble is Trouble.DOWN:
        return "the bot was stopped while it posted it"
    return "Slack did not say whether it took it"


def remedy(trouble: Trouble | None, *, channel: str = "it", change: str = "`Change`") -> str:
    """Return what helps as sentences of mrkdwn, or nothing; `channel` is finished mrkdwn."""
    return _TROUBLES[trouble][1].format(channel=channel, change=change) if trouble else ""
