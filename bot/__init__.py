"""Domain Tracker for Slack."""

# As in pyproject.toml, which an installed bot does not have.
__version__ = "0.1.0"
