"""Domain Tracker for Slack."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DISTRIBUTION = "domain-tracker-for-slack"
try:
    __version__ = version(DISTRIBUTION)
except PackageNotFoundError:  # in a clone, or an image: nothing installs it there
    _project = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    __version__ = str(tomllib.loads(_project)["project"]["version"])
