"""Read what the files of `export` hold from a store, page by page."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing

from bot import admin
from bot.digests import repository
from bot.installations.models import KIND as INSTALLATION
from bot.ops.export_file import (
    HEAD,
    NO_WORKSPACES,
    WORKSPACES,
    Holdings,
    histories_of,
    holdings_of,
    workspaces_text,
)
from bot.ops.output import OperatingError, counted, some_of
from bot.ops.stores import Store
from bot.store.documents import Document
from bot.store.sqlite import Snapshot, whole

# The installations know the names of workspaces.
EXPORTED_KINDS = frozenset(
    {repository.KIND, repository.RIGHTS, admin.KIND, admin.AUDIENCES_KIND, INSTALLATION}
)
HISTORY_KINDS = frozenset({admin.HISTORY_KIND, INSTALLATION})


async def read_holdings(store: Store) -> Holdings:
    """Return the digests and settings of a store, also beside a running bot.

    Raises:
        OperatingError: there is no store.
        StoreError: it cannot be read.
    """
    store.require_there()
    return _holdings(await whole(store.pages(kinds=EXPORTED_KINDS)))


def _holdings(snapshot: Snapshot) -> Holdings:
    holdings = holdings_of(snapshot.documents)
    holdings.unreadable += snapshot.unreadable
    return holdings


async def exported(store: Store, unreadable: list[str]) -> AsyncGenerator[str]:
    """Yield the file of `export` in parts; name in `unreadable` what cannot be read.

    It raises as `read_holdings` does.
    """
    yield HEAD
    begin = WORKSPACES
    async with aclosing(by_workspace(store, EXPORTED_KINDS)) as workspaces:
        async for each in workspaces:
            holdings = _holdings(each)
            unreadable += holdings.unreadable_places
            if holdings.workspaces:
                yield f"{begin}{workspaces_text(holdings)}"
                begin = ""
    if begin:
        yield NO_WORKSPACES


async def exported_history(store: Store, unreadable: list[str]) -> AsyncGenerator[str]:
    """Yield the lines of `export --history`; as above."""
    async with aclosing(by_workspace(store, HISTORY_KINDS)) as workspaces:
        async for each in workspaces:
            histories = histories_of(each.documents)
            histories.unreadable += each.unreadable
            unreadable += histories.unreadable_places
            for line in histories.lines:
                yield f"{line}\n"


async def by_workspace(store: Store, kinds: Collection[str]) -> AsyncGenerator[Snapshot]:
    """Yield the documents of these kinds, one workspace at a time; raise as `read_holdings`."""
    store.require_there()
    home, documents, unreadable = "", list[Document](), list[str]()
    async with aclosing(store.pages(kinds=kinds)) as pages:
        async for page in pages:
            rows = {each.key: each for each in page.documents}
            for key in page.keys:
                if home != (home := key.partition("/")[0]):
                    yield Snapshot(documents=tuple(documents), unreadable=tuple(unreadable))
                    documents, unreadable = [], []
                if key in rows:
                    documents.append(rows[key])
                else:
                    unreadable.append(key)
    yield Snapshot(documents=tuple(documents), unreadable=tuple(unreadable))


def unreadable_error(names: Sequence[str], outcome: str) -> OperatingError:
    """Return the error for unreadable documents; `outcome` is its last line."""
    count = counted(len(names), "document")
    return OperatingError(
        f"The store holds {count} that cannot be read:", *some_of(names), outcome
    )
