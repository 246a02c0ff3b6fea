"""Which permissions the bot needs in a Slack workspace, and what for. Plain data.

https://docs.slack.dev/reference/scopes. The same list is in manifest.yml, which Slack reads.
"""

NEEDED_SCOPES = {
    "commands": "the commands, and answers to them",
    "chat:write": "posts digests, and answers where the reply address has run out",
    "im:write": "opens direct messages: to admins, to owners of digests, with long answers",
    "users:read": "who is an admin, an owner or a guest; time zones",
    "channels:read": "who is in the public channel of a digest; where the app is",
    "groups:read": "who is in the private channels that the bot was invited to",
}
OPTIONAL_SCOPES = {
    "usergroups:read": "offers user groups as managers, and to mention in digests",
}
