import base64
from pathlib import Path

import pytest

from bot.settings import DATABASE, Settings, SettingsError, load_database, load_settings
from bot.store.postgres.address import parse_address
from tests.builders import APP_TOKEN, BOT_TOKEN
from tests.loops import loop_over

SIGNING_SECRET = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
KEY_RING = "k1:" + base64.b64encode(bytes(range(32))).decode()
PASSWORD = "sesame-open"
METRICS_TOKEN = "sixteen-letters!"
RIGHT = {
    "DOMAIN_TRACKER_URL": "https://tracker.example/base",
    "SLACK_BOT_TOKEN": BOT_TOKEN,
    "SLACK_SIGNING_SECRET": SIGNING_SECRET,
}
CLIENT_SECRET = "c1" * 16
# The other way to be authorized, in the place of the bot token.
OAUTH = {
    "DOMAIN_TRACKER_URL": "https://tracker.example/base",
    "SLACK_SIGNING_SECRET": SIGNING_SECRET,
    "SLACK_CLIENT_ID": "2141029472.691202649728",
    "SLACK_CLIENT_SECRET": CLIENT_SECRET,
    "PUBLIC_URL": "https://bot.example",
}
SECRETS = (
    *(CLIENT_SECRET, BOT_TOKEN, APP_TOKEN, SIGNING_SECRET),
    *(KEY_RING, KEY_RING[3:], PASSWORD, METRICS_TOKEN),
)

POSTGRES = f"postgresql://bot:{PASSWORD}@db.example:5433/tracker"

ONLY_HOST = "must be only scheme, host and port, as in https://bot.example.com"
BRACES = "must be an http(s) address with {domainId} or {domain} in it, and no other braces"
# Each wrong value, and the beginning of what is said of it.
WRONG = [
    ("DOMAIN_TRACKER_URL", "", "is missing"),
    ("DOMAIN_TRACKER_URL", "tracker.example", "must be an http or https address"),
    ("DOMAIN_TRACKER_URL", f"https://me:{PASSWORD}@tracker.example", "must have no user name"),
    ("DOMAIN_TRACKER_URL", f"https://me:{PASSWORD}℀@tracker.example", "must be an http"),
    ("DOMAIN_TRACKER_URL", "https://t.example/?a=b", "must have no user name, query"),
    ("DOMAIN_TRACKER_URL", "https://t.exa mple", "must be an http"),
    ("DOMAIN_TRACKER_URL", "https://…", "must be an http"),
    ("DOMAIN_TRACKER_URL", "http://999.1.1.1", "must be an http or https address"),
    ("DOMAIN_TRACKER_DOMAIN_URL", "https://tracker.example/{id}", BRACES),
    ("SLACK_BOT_TOKEN", "", "is missing"),
    ("SLACK_BOT_TOKEN", BOT_TOKEN.replace("xoxb", "xoxp"), "must be a bot token"),
    ("SLACK_BOT_TOKEN", f"{BOT_TOKEN} ", "must be a bot token"),
    ("SLACK_APP_TOKEN", BOT_TOKEN, "must be an app-level token"),
    ("SLACK_SIGNING_SECRET", "", "needed for HTTP"),
    ("SLACK_MENTIONS", "maybe", "must be true or false"),
    ("SLACK_COMMAND_PREFIX", "DT ", "must be at most 16 of a-z, 0-9, - and _"),
    ("SLACK_AUTHORIZE_URL", "slack.com", "must be an http"),
    ("SLACK_API_URL", "https://slack.com/api", "must end in a slash"),
    ("PUBLIC_URL", "bot.example.com", "must be an https address, as in https://bot.example.com"),
    ("PUBLIC_URL", f"https://me:{PASSWORD}@bot.example", ONLY_HOST),
    ("PUBLIC_URL", "https://bot.example/slack", ONLY_HOST),
    ("PUBLIC_URL", "https://bot.example/?a=b", ONLY_HOST),
    ("PUBLIC_URL", "http://bot.example", "must be https"),
    ("DATABASE_URL", f"mysql://bot:{PASSWORD}@db/bot", "must look like"),
    ("DATABASE_URL", "sqlite:///", "must look like"),
    *(("DATABASE_POOL_SIZE", value, "must be a whole number from 2 to 500") for value in "1x"),
    *(("DATABASE_POOL_SIZE", value, "must be a whole number") for value in ("501", "3.5")),
    ("BOT_SECRET_KEYS", f"k1:{KEY_RING[3:-4]}", "the key named k1 is not base64 of 32 bytes"),
    ("BOT_SECRET_KEYS", KEY_RING[3:], "entry 1 is not of the form name:base64-of-32-bytes"),
    ("BOT_SECRET_KEYS", f"{KEY_RING},{KEY_RING}", "there are two keys named k1"),
    ("EGRESS_IPS", "192.0.2.1, gateway.example", "must be IP addresses"),
    ("METRICS_TOKEN", "guess-me-please", "must be at least 16 letters, digits or signs, without"),
    ("METRICS_TOKEN", "ü" * 16, "must be at least 16 letters"),
    *(("PORT", value, "must be a whole number from 1 to 65535") for value in ("0", "65536", "x")),
    *(
        ("TICK_SECONDS", value, "must be a number from 0.5 to 60")
        for value in ("0.4", "61", "nan")
    ),
    ("LOG_LEVEL", "LOUD", "must be DEBUG, INFO, WARNING or ERROR"),
    ("LOG_FORMAT", "xml", "must be console or json"),
]


@pytest.fixture(autouse=True)
def only_what_the_test_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*Settings.model_fields, "all_proxy", "https_proxy", "http_proxy", "no_proxy"):
        monkeypatch.delenv(name.upper(), raising=False)
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def put(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)


def problems(env_file: Path) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        load_settings(env_file)
    assert str(caught.value) == "\n".join(caught.value.problems)
    assert not any(secret in f"{caught.value!r}{caught.value}" for secret in SECRETS)
    return caught.value.problems


@loop_over(("name", "value", "line"), WRONG)
def test_a_wrong_setting_is_named(name: str, value: str, line: str, env_file: Path) -> None:
    with pytest.MonkeyPatch.context() as environ:
        put(environ, RIGHT | {name: value})

        (problem,) = problems(env_file)
        assert problem.startswith(f"{name}: {line}")


# Ways that are none: what is set beside OAUTH (empty: not set), and which lines name it.
WRONG_WAYS = {
    "both ways": (
        {"SLACK_BOT_TOKEN": BOT_TOKEN},
        ["SLACK_BOT_TOKEN: is for one workspace, SLACK_CLIENT_ID for any number"],
    ),
    "a bot token and half of the other way": (
        {"SLACK_BOT_TOKEN": BOT_TOKEN, "SLACK_CLIENT_ID": "", "PUBLIC_URL": ""},
        [
            "PUBLIC_URL: is missing; SLACK_CLIENT_SECRET needs it",
            "SLACK_BOT_TOKEN: is for one workspace, SLACK_CLIENT_SECRET for any number",
            "SLACK_CLIENT_ID: is missing; SLACK_CLIENT_SECRET needs it",
        ],
    ),
    "neither": (
        {"SLACK_CLIENT_ID": "", "SLACK_CLIENT_SECRET": ""},
        ["SLACK_BOT_TOKEN: is missing (or set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET)"],
    ),
    "no client secret": ({"SLACK_CLIENT_SECRET": ""}, ["SLACK_CLIENT_SECRET: is missing"]),
    "no public address": (
        {"PUBLIC_URL": ""},
        ["PUBLIC_URL: is missing; SLACK_CLIENT_ID needs it"],
    ),
}


@pytest.mark.parametrize(("wrong", "lines"), WRONG_WAYS.values(), ids=WRONG_WAYS)
def test_an_incomplete_mode_is_explained(
    wrong: dict[str, str], lines: list[str], env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, OAUTH | wrong)

    found = problems(env_file)

    assert len(found) == len(lines)
    assert all(one.startswith(line) for one, line in zip(found, lines, strict=True))


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://bot.example/", "https://bot.example"),
        ("HTTPS://bot.example:8443/", "https://bot.example:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
    ],
)
def test_the_public_address_loses_its_slash(
    given: str, used: str, env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, OAUTH | {"PUBLIC_URL": given})

    assert load_settings(env_file).public_url == used


def test_all_problems_are_listed_at_once(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {name: value for name, value, _ in WRONG if value}
    put(monkeypatch, wrong)

    found = problems(env_file)

    assert [problem.partition(":")[0] for problem in found] == sorted(wrong)


def test_postgres_needs_keys(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, RIGHT | {"DATABASE_URL": POSTGRES})

    (problem,) = problems(env_file)

    assert problem.startswith(
        "BOT_SECRET_KEYS: needed with PostgreSQL. Before a `restore`, use the content of the old"
        " store's key file, data/bot.sqlite.key by default. Otherwise make a key with python"
    )


def test_the_store_needs_no_other_setting(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_database(env_file) == Path("data/bot.sqlite")
    env_file.write_text(f"DATABASE_URL={POSTGRES}\nTICK_SECONDS=no number\n")
    assert load_database(env_file) == parse_address(POSTGRES)
    monkeypatch.setenv("DATABASE_URL", DATABASE)
    assert load_database(env_file) == Path("data/bot.sqlite")

    put(monkeypatch, {"DATABASE_URL": f"mysql://bot:{PASSWORD}@db/bot"})
    with pytest.raises(SettingsError, match="DATABASE_URL: must look like") as caught:
        load_database(env_file)
    assert PASSWORD not in f"{caught.value!r}"


def test_the_rest_has_defaults(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, RIGHT)

    settings = load_settings(env_file)

    assert settings.domain_tracker_owned_type == "owned"
    assert settings.slack_api_url == "https://slack.com/api/"
    assert (settings.host, settings.port) == ("127.0.0.1", 3000)
    assert settings.database_path == Path("data/bot.sqlite")
    assert settings.egress_addresses == ()
    assert (settings.tick_seconds, settings.log_level) == (10, "INFO")
    assert settings.log_format is None
    assert settings.metrics_token is None


def test_everything_can_be_set(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del_signing = {name: value for name, value in RIGHT.items() if "SIGNING" not in name}
    more = {
        "SLACK_BOT_TOKEN": f"xoxe.{BOT_TOKEN}",  # as token rotation makes them
        "SLACK_APP_TOKEN": APP_TOKEN,
        "SLACK_API_URL": "http://127.0.0.1:9/api/",
        "HOST": "127.0.0.2",
        "PORT": "65535",
        "DATABASE_URL": "sqlite:////var/lib/bot.sqlite",
        "BOT_SECRET_KEYS": f"{KEY_RING}, k2:{'B' * 43}",
        "EGRESS_IPS": "192.0.2.1, 192.0.2.7/24, 2001:db8::/32,",
        "TICK_SECONDS": "0.5",
        "LOG_LEVEL": "debug",
        "LOG_FORMAT": "json",
        "METRICS_TOKEN": METRICS_TOKEN,
        "DATABASE_POOL_SIZE": "500",
    }
    put(monkeypatch, del_signing | more)

    settings = load_settings(env_file)

    assert settings.slack_app_token
    assert settings.slack_app_token.get_secret_value() == APP_TOKEN
    assert (settings.host, settings.port) == ("127.0.0.2", 65535)
    assert settings.database_path == Path("/var/lib/bot.sqlite")
    assert (settings.log_level, settings.log_format) == ("DEBUG", "json")
    assert settings.metrics_token
    assert settings.metrics_token.get_secret_value() == METRICS_TOKEN
    assert settings.database_pool_size == 500
    assert settings.egress_addresses == ("192.0.2.1", "192.0.2.7/24", "2001:db8::/32")


def test_no_secret_is_in_what_is_printed(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, RIGHT | {"SLACK_APP_TOKEN": APP_TOKEN, "BOT_SECRET_KEYS": KEY_RING})
    put(monkeypatch, {"METRICS_TOKEN": METRICS_TOKEN})

    settings = load_settings(env_file)

    printed = f"{settings!r} {settings} {settings.model_dump()}"
    assert "tracker.example" in printed
    assert not any(secret in printed for secret in SECRETS)


def test_the_environment_is_first(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch, RIGHT | {"LOG_LEVEL": "ERROR"})
    env_file.write_text("LOG_LEVEL=DEBUG\nDOMAIN_TRACKER_URL=https://other.example\n")

    settings = load_settings(env_file)

    assert settings.log_level == "ERROR"
    assert settings.domain_tracker_url == "https://tracker.example/base"


def test_an_empty_variable_is_unset(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = dict.fromkeys(
        ["SLACK_APP_TOKEN", "PORT", "LOG_FORMAT", "BOT_SECRET_KEYS", "SLACK_CLIENT_ID"], ""
    )
    put(monkeypatch, RIGHT | empty)
    env_file.write_text("LOG_FORMAT=json\nTICK_SECONDS=\n")

    settings = load_settings(env_file)

    assert (settings.slack_app_token, settings.bot_secret_keys) == (None, None)
    assert (settings.host, settings.port) == ("127.0.0.1", 3000)
    assert settings.log_format == "json"


def test_an_env_file_that_is_no_text_is_named(env_file: Path) -> None:
    env_file.write_bytes(b"SLACK_BOT_TOKEN=xoxb-\xff\xfe")

    (problem,) = problems(env_file)

    assert problem.startswith(f"{env_file}: ")


@pytest.mark.parametrize(
    ("environ", "file", "host"),
    [
        pytest.param({"PORT": "5000"}, "", "0.0.0.0", id="a platform's port is public"),
        pytest.param({}, "PORT=5000\n", "127.0.0.1", id="a port of the file is local"),
        pytest.param({"PORT": "5000"}, "HOST=127.0.0.1\n", "127.0.0.1", id="a chosen host stays"),
    ],
)
def test_only_a_platforms_port_is_public(
    environ: dict[str, str], file: str, host: str, env_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, RIGHT | environ)
    env_file.write_text(file)

    settings = load_settings(env_file)

    assert (settings.host, settings.port) == (host, 5000)
