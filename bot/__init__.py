"""Domain Tracker for Slack."""

import tomllib
from importlib.metadata import version
from pathlib import Path

DISTRIBUTION = "domain-tracker-for-slack"


def _version() -> str:
    """Return the version in pyproject.toml: the file itself in a clone, where nothing installs it.

    What is installed from a wheel has it as metadata.
    """
    project = Path(__file__).parents[1] / "pyproject.toml"
    if project.exists():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    return version(DISTRIBUTION)


__version__ = _version()
