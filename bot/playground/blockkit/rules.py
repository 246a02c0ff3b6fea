"""What must hold between the fields of one object, by the names that the tables use."""

from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from bot.playground.blockkit.schema import Place, Rule, all_different


def _option_values_differ(value: Mapping[str, Any], place: Place) -> None:
    """A menu tells its options apart by their value, "a unique string value".

    https://docs.slack.dev/reference/block-kit/composition-objects/option-object
    """
    values = ((each["value"], spot / "value") for each, spot in _offered(value, place))
    all_different(values, "value")


def _initial_options_exist(value: Mapping[str, Any], place: Place) -> None:
    """What is chosen at first must be among what can be chosen, to the letter."""
    offered = [each for each, _ in _offered(value, place)]
    if "initial_option" in value and value["initial_option"] not in offered:
        (place / "initial_option").refuse("bad_value", "must exactly match one of the options")
    for index, chosen in enumerate(value.get("initial_options", [])):
        if chosen not in offered:
            spot = place / "initial_options" / index
            spot.refuse("bad_value", "must exactly match one of the options")


def _offered(value: Mapping[str, Any], place: Place) -> Iterator[tuple[Any, Place]]:
    """Yield each option of a menu."""
    for index, option in enumerate(value["options"]):
        yield option, place / "options" / index


def _formatted_beside_formatted(value: Mapping[str, Any], place: Place) -> None:
    """Official types have a description in mrkdwn only beside a text in mrkdwn.

    https://github.com/slackapi/node-slack-sdk/pull/2742
    """
    kinds = value["text"]["type"], value.get("description", {}).get("type")
    if kinds == ("plain_text", "mrkdwn"):
        (place / "description").refuse("conflict", "cannot be `mrkdwn` beside a `plain_text`")


def _is_a_day(value: Mapping[str, Any], place: Place) -> None:
    try:
        date.fromisoformat(value.get("initial_date", "2000-01-01"))
    except ValueError:
        (place / "initial_date").refuse("bad_format", "must be a date like 2030-01-31")


def _numbers_agree(value: Mapping[str, Any], place: Place) -> None:
    lowest = Decimal(value.get("min_value", "-Infinity"))
    highest = Decimal(value.get("max_value", "Infinity"))
    if lowest > highest:
        (place / "min_value").refuse("conflict", "must not be more than `max_value`")
    elif "initial_value" in value and not lowest <= Decimal(value["initial_value"]) <= highest:
        spot = place / "initial_value"
        spot.refuse("conflict", "must lie between `min_value` and `max_value`")


def _rows_agree(value: Mapping[str, Any], place: Place) -> None:
    columns = len(value["rows"][0])
    for index, row in enumerate(value["rows"]):
        if len(row) != columns:
            spot = place / "rows" / index
            spot.refuse("unequal_rows", f"must have {columns} cells like the first row")


def _header_is_plain(value: Mapping[str, Any], place: Place) -> None:
    for index, cell in enumerate(value["rows"][0]):
        if cell["type"] == "rich_text":
            spot = place / "rows" / 0 / index / "type"
            spot.refuse("not_allowed_here", "unsupported type: rich_text")


def _row_header_exists(value: Mapping[str, Any], place: Place) -> None:
    columns = len(value["rows"][0])
    if value.get("row_header_column_index", 0) >= columns:
        spot = place / "row_header_column_index"
        spot.refuse("too_large", f"must be less than {columns}")


def _names_differ(value: Mapping[str, Any], place: Place) -> None:
    categories = value["axis_config"]["categories"]
    spot = place / "axis_config" / "categories"
    all_different(((word, spot / i) for i, word in enumerate(categories)), "category")
    series = enumerate(value["series"])
    all_different(((one["name"], place / "series" / i / "name") for i, one in series), "name")


def _one_point_per_category(value: Mapping[str, Any], place: Place) -> None:
    categories = value["axis_config"]["categories"]
    for index, series in enumerate(value["series"]):
        spot = place / "series" / index / "data"
        labels = [point["label"] for point in series["data"]]
        for point, label in enumerate(labels):
            if label not in categories:
                (spot / point / "label").refuse("bad_value", "must be one of the categories")
        if sorted(labels) != sorted(categories):
            spot.refuse("unequal_points", "must have exactly one point per category")


def _collapsing_makes_sense(value: Mapping[str, Any], place: Place) -> None:
    if value.get("default_collapsed") and not value.get("is_collapsible"):
        (place / "default_collapsed").refuse("conflict", "requires `is_collapsible` to be true")


def _optional_scopes_stand_in_both(value: Mapping[str, Any], place: Place) -> None:
    """https://docs.slack.dev/authentication/installing-with-oauth."""
    for index, scope in enumerate(value.get("bot_optional", [])):
        if scope not in value.get("bot", []):
            (place / "bot_optional" / index).refuse("bad_value", "must be one of `bot` too")


_ALL: tuple[Rule, ...] = (
    _option_values_differ,
    _initial_options_exist,
    _formatted_beside_formatted,
    _is_a_day,
    _numbers_agree,
    _rows_agree,
    _header_is_plain,
    _row_header_exists,
    _names_differ,
    _one_point_per_category,
    _collapsing_makes_sense,
    _optional_scopes_stand_in_both,
)
RULES: Mapping[str, Rule] = {rule.__name__.removeprefix("_"): rule for rule in _ALL}
