"""Load and validate the settings of an installation at start."""

import ipaddress
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    AfterValidator,
    AnyHttpUrl,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.store.encryption import KeyRing, key_file_of
from bot.store.postgres.address import (
    DEFAULT_POOL_SIZE,
    MAX_POOL_SIZE,
    MIN_POOL_SIZE,
    SCHEMES,
    Address,
    parse_address,
)
from bot.tracker.names import load_names

# The types of single settings. Each check returns the value or raises ValueError, whose sentence
# is for the operator and quotes nothing of the value. Where pydantic checks, the description says
# what is right.
BOT_TOKEN = re.compile(r"xox(b|e\.xoxb)-[!-~]+")
APP_TOKEN = re.compile(r"xapp-[!-~]+")
METRICS_TOKEN = re.compile(r"[!-~]{16,}")  # it is sent in a header, so nothing else fits in
SQLITE = "sqlite:///"
LogLevel = Annotated[
    Literal["DEBUG", "INFO", "WARNING", "ERROR"],
    BeforeValidator(str.upper),
    Field(description="DEBUG, INFO, WARNING or ERROR"),
]
LogFormat = Annotated[Literal["console", "json"] | None, Field(description="console or json")]
Port = Annotated[int, Field(ge=1, le=65535, description="a whole number from 1 to 65535")]
PoolSize = Annotated[
    int,
    Field(
        ge=MIN_POOL_SIZE,
        le=MAX_POOL_SIZE,
        description=f"a whole number from {MIN_POOL_SIZE} to {MAX_POOL_SIZE}",
    ),
]
# A slot cannot wait longer.
TickSeconds = Annotated[float, Field(ge=0.5, le=60, description="a number from 0.5 to 60")]
Switch = Annotated[bool, Field(description="true or false")]
OAUTH = ("slack_client_id", "slack_client_secret")
# What prints a new key; `k1` is its name.
NEW_KEY = (
    "python -c 'import base64, secrets;"
    ' print("k1:" + base64.b64encode(secrets.token_bytes(32)).decode())\''
)
S = TypeVar("S", bound=BaseSettings)
DEFAULT_FILE = Path("data/bot.sqlite")
DATABASE = f"{SQLITE}{DEFAULT_FILE}"


def database_of(url: str, *, pool_size: int = DEFAULT_POOL_SIZE) -> Path | Address:
    """Return where a DATABASE_URL leads; a ValueError quotes nothing of it."""
    if url.startswith(SCHEMES):
        return parse_address(url, pool_size=pool_size)
    if not url.startswith(SQLITE) or url == SQLITE:
        raise ValueError("must look like sqlite:///data/bot.sqlite or postgresql://…")
    return Path(url.removeprefix(SQLITE))


def _http_parts(text: str, must: str = "be an http or https address") -> SplitResult:
    try:
        parts = urlsplit(text)
        AnyHttpUrl(text)  # hosts that no request could be sent to, such as 999.1.1.1
        is_usable = parts.port != 0 and not re.search(r"\s", text)
    except ValueError:  # its message would quote the address, and a password in it
        is_usable = False
    if not is_usable or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"must {must}")
    return parts


def _address(text: str) -> str:
    parts = _http_parts(text)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must have no user name, query or fragment")
    return text


def _domain_template(text: str) -> str:
    """Return a template of addresses of domains; the document of the service shows none."""
    must = "be an http(s) address with {domainId} or {domain} in it, and no other braces"
    filled = text.replace("{domainId}", "x").replace("{domain}", "x")
    _http_parts(filled, must)
    if filled == text or set("{}<>|") & set(filled):
        raise ValueError(f"must {must}")
    return text


def _api_address(text: str) -> str:
    if not text.endswith("/"):
        raise ValueError("must end in a slash, as in https://slack.com/api/")
    return _address(text)


def _public_address(text: str) -> str:
    parts = _http_parts(text, "be an https address, as in https://bot.example.com")
    if "@" in parts.netloc or parts.path.strip("/") or set("?#") & set(text):
        raise ValueError("must be only scheme, host and port, as in https://bot.example.com")
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise ValueError("must be https: Slack sends no one back to another address")
    return f"{parts.scheme}://{parts.netloc}"


def is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def _secret_like(pattern: re.Pattern[str], what: str) -> Callable[[SecretStr], SecretStr]:
    def check(secret: SecretStr) -> SecretStr:
        if not pattern.fullmatch(secret.get_secret_value()):
            raise ValueError(f"must be {what}")
        return secret

    return check


def _key_ring(secret: SecretStr) -> SecretStr:
    KeyRing.parse(secret.get_secret_value())
    return secret


def _database_address(text: str) -> str:
    database_of(text)
    return text


def _names_file(path: Path) -> Path:
    try:
        load_names(path)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"must hold names as bot/tracker/names.toml does: {error}") from None
    return path


def _networks(text: str) -> str:
    try:
        for part in filter(None, map(str.strip, text.split(","))):
            ipaddress.ip_network(part, strict=False)
    except ValueError:
        raise ValueError("must be IP addresses or networks, comma separated") from None
    return text


Url = Annotated[str, AfterValidator(_address)]
DomainUrl = Annotated[str, AfterValidator(_domain_template)]
ApiUrl = Annotated[str, AfterValidator(_api_address)]
PublicUrl = Annotated[str, AfterValidator(_public_address)]
DatabaseUrl = Annotated[str, AfterValidator(_database_address), Field(repr=False)]
NamesFile = Annotated[Path, AfterValidator(_names_file)]
Networks = Annotated[str, AfterValidator(_networks)]
SecretKeys = Annotated[SecretStr, AfterValidator(_key_ring)]
BotToken = Annotated[SecretStr, AfterValidator(_secret_like(BOT_TOKEN, "a bot token, xoxb-…"))]
AppToken = Annotated[
    SecretStr, AfterValidator(_secret_like(APP_TOKEN, "an app-level token, xapp-…"))
]
MetricsToken = Annotated[
    SecretStr,
    AfterValidator(
        _secret_like(METRICS_TOKEN, "at least 16 letters, digits or signs, without spaces")
    ),
]
Prefix = Annotated[
    str, Field(pattern="^[a-z0-9_-]{0,16}$", description="at most 16 of a-z, 0-9, - and _")
]


class SettingsError(Exception):
    """The environment does not hold what the bot needs; `problems` has a line for each."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))


class Settings(BaseSettings):
    """One installation's settings; field names are the environment's names in lower case."""

    model_config = SettingsConfigDict(
        env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    domain_tracker_url: Url
    domain_tracker_domain_url: DomainUrl | None = None
    domain_tracker_owned_type: str = "owned"
    slack_bot_token: BotToken | None = None
    slack_app_token: AppToken | None = None
    slack_signing_secret: SecretStr | None = None
    slack_client_id: str | None = None
    slack_client_secret: SecretStr | None = None
    slack_mentions: Switch = False
    slack_command_prefix: Prefix = ""
    slack_authorize_url: Url = "https://slack.com/oauth/v2/authorize"
    public_url: PublicUrl | None = None
    slack_api_url: ApiUrl = "https://slack.com/api/"
    host: str = "127.0.0.1"
    port: Port = 3000
    database_url: DatabaseUrl = DATABASE
    database_pool_size: PoolSize = DEFAULT_POOL_SIZE
    bot_secret_keys: SecretKeys | None = None
    egress_ips: Networks = ""
    scan_names_file: NamesFile | None = None
    tick_seconds: TickSeconds = 10
    log_level: LogLevel = "INFO"
    log_format: LogFormat = None
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
        return tuple(filter(None, map(str.strip, self.egress_ips.split(","))))

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
    # There is one way to be authorized: a bot token, or OAuth.
    one = next((name.upper() for name in OAUTH if name in given), None)
    if not one and "slack_bot_token" not in given:
        yield "SLACK_BOT_TOKEN: is missing (or set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET)"
    if one and "slack_bot_token" in given:
        yield f"SLACK_BOT_TOKEN: is for one workspace, {one} for any number. Keep one of the two"
    for name in (*OAUTH, "public_url") if one else ():
        if name not in given:
            yield f"{name.upper()}: is missing; {one} needs it"
    is_shared = str(given.get("database_url", "")).startswith(SCHEMES)
    if is_shared and "bot_secret_keys" not in given:
        yield (
            "BOT_SECRET_KEYS: needed with PostgreSQL. Before a `restore`, use the content of the"
            f" old store's key file, {key_file_of(DEFAULT_FILE)} by default. Otherwise make a key"
            f" with {NEW_KEY}"
        )
    if "slack_app_token" not in given and "slack_signing_secret" not in given:
        yield (
            "SLACK_SIGNING_SECRET: needed for HTTP"
            " (or set SLACK_APP_TOKEN to connect by Socket Mode)"
        )


def _problems_within(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_input=False, include_url=False):
        name = str(each["loc"][0])
        match each["type"]:
            case "missing":
                problem = "is missing"
            case "value_error":
                problem = str(each["ctx"]["error"])
            case _:
                problem = f"must be {Settings.model_fields[name].description}"
        yield f"{name.upper()}: {problem}"


def load_settings(env_file: Path = Path(".env")) -> Settings:
    """Return the settings from the environment, and from `env_file` for what is not set there.

    SettingsError: something is missing or wrong; every problem is named, no secret is.
    """
    settings = _read(Settings, env_file)
    if os.environ.get("PORT") and "host" not in settings.model_fields_set:
        # A platform that sets PORT sends its traffic from outside the machine.
        return settings.model_copy(update={"host": "0.0.0.0"})  # noqa: S104  # the contract's rule
    return settings


def load_database(env_file: Path = Path(".env")) -> Path | Address:
    """Return where DATABASE_URL leads, whatever else is set or not; raise as above."""
    try:
        return database_of(_read(_OnlyTheDatabase, env_file).database_url)
    except ValidationError as error:
        raise SettingsError([*_problems_within(error)]) from None


def _read(kind: type[S], env_file: Path) -> S:
    try:
        return kind(_env_file=env_file)
    except (OSError, UnicodeDecodeError):
        raise SettingsError([f"{env_file}: cannot be read as text in UTF-8"]) from None


def text_of(secret: SecretStr | None) -> str:
    """Return a secret setting, empty when it is not set."""
    return secret.get_secret_value() if secret else ""
