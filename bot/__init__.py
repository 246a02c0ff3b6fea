"""Domain Tracker for Slack."""

import tomllib
from importlib.metadata import version
from pathlib import Path

DISTRIBUTION = "domain-tracker-for-slack"
# A clone is not installed, so it has no metadata; what is installed has no such file.
_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
if _PROJECT.exists():
    __version__ = str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
else:
    __version__ = version(DISTRIBUTION)
