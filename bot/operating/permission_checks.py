"""What is to be said of the permissions that each installation was granted. Pure."""

from collections.abc import Iterator, Mapping, Set

from bot.operating.finding import Finding, failure, ok, warning
from bot.operating.places import some_names
from bot.operating.printing import counted
from bot.operating.slack_checks import SCOPES, lacking_scopes
from bot.slack.scopes import NEEDED_SCOPES, OPTIONAL_SCOPES


def permission_findings(granted: Mapping[str, Set[str]], invitation: str) -> Iterator[Finding]:
    """Yield where what this version wants was granted, and where not.

    `granted` holds the scopes by the name of each installation; `invitation` says how the app is
    installed anew. It is a failure when the bot can do its work nowhere.
    """
    if narrow := _lacking(NEEDED_SCOPES, granted):
        tell = failure if len(narrow) == len(granted) else warning
        mend = f"Bring the app's manifest up to date with manifest.yml, and {invitation}."
        yield tell(SCOPES, f"missing in {some_names(narrow)}", mend)
    if wishes := _lacking(OPTIONAL_SCOPES, granted):
        mend = f"If people want that there, {invitation}; the rest works without."
        yield warning(SCOPES, f"not granted in {some_names(wishes)}", mend)
    if granted and not (narrow or wishes):
        count = len(NEEDED_SCOPES) + len(OPTIONAL_SCOPES)
        yield ok(SCOPES, f"all {count} are granted in {counted(len(granted), 'installation')}")


def _lacking(wanted: Mapping[str, str], granted: Mapping[str, Set[str]]) -> list[str]:
    lacking = {name: lacking_scopes(wanted, scopes) for name, scopes in granted.items()}
    return [f"{name}: {scopes}" for name, scopes in lacking.items() if scopes]
