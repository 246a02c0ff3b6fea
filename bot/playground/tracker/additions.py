"""What adding a domain answers. The service document promises a JSON object and no more (4.2)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

Item = dict[str, object]  # a domain object, as the list shows it


def _domain(item: Item) -> Item:
    return item


def _wrapped(item: Item) -> Item:
    return {"success": True, "data": {"domain": item}}


def _id_only(item: Item) -> Item:
    return {"id": item["domainId"]}


def _message(item: Item) -> Item:
    return {"message": f"{item['domain']} was added and will be scanned soon"}


def _empty(_item: Item) -> Item:
    return {}


ADD_STYLES: Final[Mapping[str, Callable[[Item], Item]]] = MappingProxyType(
    {
        "domain": _domain,
        "wrapped": _wrapped,
        "id_only": _id_only,
        "message": _message,
        "empty": _empty,
    }
)
