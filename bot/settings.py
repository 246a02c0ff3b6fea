"""Load and validate the settings of an installation at start."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ModelWrapValidatorHandler, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.setting_types import (
    SQLITE,
    ApiUrl,
    AppToken,
    BotToken,
    DatabaseUrl,
    Label,
    LogFormat,
    LogLevel,
    MetricsToken,
    Networks,
    PageUrl,
    PoolSize,
    Port,
    PublicUrl,
    SecretKeys,
    Switch,
    TickSeconds,
    Url,
    database_of,
)
from bot.store.encryption import key_file_of
from bot.store.postgres.address import DEFAULT_POOL_SIZE, SCHEMES, Address

# Where `move` finds the new address when it is not among the words.
MOVE_TO = "MOVE_TO_URL"
OAUTH = ("slack_client_id", "slack_client_secret")
NEW_KEY = (
    "python -c 'import base64, secrets;"
    ' print("k1:" + base64.b64encode(secrets.token_bytes(32)).decode())\''
)


class SettingsError(Exception):
    """The environment does not hold what the bot needs; `problems` has a line for each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


S = TypeVar("S", bound=BaseSettings)
DEFAULT_FILE = Path("data/bot.sqlite")
DATABASE = f"{SQLITE}{DEFAULT_FILE}"


class Settings(BaseSettings):
    """One installation's settings; field names are the environment's names in lower case."""

    model_config = SettingsConfigDict(
        env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    domain_tracker_url: Url
    domain_tracker_owned_type: Label = "owned"
    domain_tracker_keys_url: PageUrl | None = None
    slack_bot_token: BotToken | None = None
    slack_app_token: AppToken | None = None
    slack_signing_secret: SecretStr | None = None
    slack_client_id: str | None = None
    slack_client_secret: SecretStr | None = None
    slack_mentions: Switch = False
    slack_authorize_url: Url = "https://slack.com/oauth/v2/authorize"
    public_url: PublicUrl | None = None
    slack_api_url: ApiUrl = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: Port = 3000
    database_url: DatabaseUrl = DATABASE
    database_pool_size: PoolSize = DEFAULT_POOL_SIZE
    bot_secret_keys: SecretKeys | None = None
    egress_ips: Networks = ""
    tick_seconds: TickSeconds = 10
    log_level: LogLevel = "INFO"
    log_format: LogFormat | None = None
    metrics_token: MetricsToken | None = None

    @property
    def is_for_many(self) -> bool:
        """Whether any number of workspaces installs the bot by OAuth, instead of one token."""
        return self.slack_bot_token is None

    @property
    def is_shared(self) -> bool:
        """Whether the store is a PostgreSQL, which any number of processes may share."""
        return not self.database_url.startswith("sqlite:")

    @property
    def database(self) -> Path | Address:
        """Where the store is: the file of the embedded one, or the address in PostgreSQL."""
        return database_of(self.database_url, pool_size=self.database_pool_size)

    @property
    def database_path(self) -> Path:
        """Where the embedded store lies; TypeError: the store is in PostgreSQL."""
        if not isinstance(self.database, Path):
            raise TypeError("the store is no file")
        return self.database

    @property
    def egress_addresses(self) -> tuple[str, ...]:
        """The addresses from which the service sees this bot call, as the operator wrote them."""
        return tuple(part.strip() for part in self.egress_ips.split(",") if part.strip())

    @model_validator(mode="wrap")
    @classmethod
    def _name_every_problem_at_once(
        cls, given: Any, handler: ModelWrapValidatorHandler["Settings"]
    ) -> "Settings":
        problems = list(_problems_between(given))
        try:
            settings = handler(given)
        except ValidationError as error:
            problems += _problems_within(error)
        else:
            if not problems:
                return settings
        raise SettingsError(sorted(problems))


class _OnlyTheDatabase(BaseSettings):
    model_config = Settings.model_config

    database_url: DatabaseUrl = DATABASE


def _problems_between(given: Mapping[str, Any]) -> Iterator[str]:
    yield from _problems_of_ways(given)
    if _is_in_postgres(given) and "bot_secret_keys" not in given:
        yield (
            "BOT_SECRET_KEYS: needed with PostgreSQL. After a `move`, use the content of the old"
            f" store's key file, {key_file_of(DEFAULT_FILE)} by default. Otherwise make a key with"
            f" {NEW_KEY}"
        )
    if "slack_app_token" not in given and "slack_signing_secret" not in given:
        yield (
            "SLACK_SIGNING_SECRET: needed for HTTP"
            " (or set SLACK_APP_TOKEN to connect by Socket Mode)"
        )


def _is_in_postgres(given: Mapping[str, Any]) -> bool:
    return str(given.get("database_url", "")).startswith(SCHEMES)


def _problems_of_ways(given: Mapping[str, Any]) -> Iterator[str]:
    """There is one way to be authorized: a bot token, or OAuth."""
    oauth = [name for name in OAUTH if name in given]
    if "slack_bot_token" not in given and not oauth:
        yield "SLACK_BOT_TOKEN: is missing (or set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET)"
    if not oauth:
        return
    with_it = ""
    if "slack_bot_token" in given:
        one = oauth[0].upper()
        yield (f"SLACK_BOT_TOKEN: is for one workspace, {one} for any number. Keep one of the two")
        with_it = f", if you keep {one}"
    yield from (f"{name.upper()}: is missing{with_it}" for name in OAUTH if name not in given)
    if "public_url" not in given:
        why = "Slack sends people back to it after they install the app"
        yield f"PUBLIC_URL: is missing{with_it}: {why}"


def _problems_within(error: ValidationError) -> list[str]:
    return [
        f"{str(problem['loc'][0]).upper()}: {_in_words(problem['type'], problem['msg'])}"
        for problem in error.errors(include_input=False, include_url=False)
    ]


def _in_words(kind: str, message: str) -> str:
    return "is missing" if kind == "missing" else message.removeprefix("Value error, ")


def load_settings(env_file: Path = Path(".env")) -> Settings:
    """Return the settings from the environment, and from `env_file` for what is not set there.

    SettingsError: something is missing or wrong; every problem is named, no secret is.
    """
    settings = _read(Settings, env_file)
    if os.environ.get("PORT") and "host" not in settings.model_fields_set:
        # A platform that sets PORT sends its traffic from outside the machine.
        return settings.model_copy(update={"host": "0.0.0.0"})  # noqa: S104  # the contract's rule
    return settings


def load_database(env_file: Path = Path(".env")) -> Path | Address | None:
    """Return where DATABASE_URL leads, whatever else is set or not; raise as above.

    `None`: it is not set, and the store is DEFAULT_FILE.
    """
    try:
        found = _read(_OnlyTheDatabase, env_file)
        return database_of(found.database_url) if found.model_fields_set else None
    except ValidationError as error:
        raise SettingsError(_problems_within(error)) from None


def _read(kind: type[S], env_file: Path) -> S:
    try:
        return kind(_env_file=env_file)
    except (OSError, UnicodeDecodeError):
        raise SettingsError([f"{env_file}: cannot be read as text in UTF-8"]) from None


def text_of(secret: SecretStr | None) -> str:
    """Return a secret setting, empty when it is not set."""
    return secret.get_secret_value() if secret else ""
