"""Decide and check who may manage a workspace's key, add and scan."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bot.dispatch.commands import COMMANDS, Audience
from bot.dispatch.request import Request
from bot.process.errors import BotError, NotAllowedError
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member
from bot.store.documents import Document, Documents, Write, update

KIND = "managers"
MAX_MANAGERS = 20
AUDIENCES_KIND = "audiences"
# The operations whose audience admins choose: until then it is that of their command.
CHOSEN_FOR = ("add", "scan")
DEFAULT_AUDIENCES = {
    each.operation: each.audience for each in COMMANDS.values() if each.operation in CHOSEN_FOR
}
# How the store and the form name an audience.
AUDIENCE_NAMES = {
    "everyone": Audience.GUESTS,
    "no-guests": Audience.MEMBERS,
    "managers": Audience.MANAGERS,
}


class NotAManagerError(NotAllowedError):
    """Only admins, owners and the managers that they named may do this.

    `is_in_organisation`: the workspace is in one, whose admins Slack may not name.
    """

    def __init__(
        self, managers: tuple[str, ...] = (), *, is_in_organisation: bool = False
    ) -> None:
        self.managers = managers
        self.is_in_organisation = is_in_organisation
        super().__init__("neither admin nor manager")


class NotAnAdminError(NotAManagerError):
    """Only admins and owners may do this, managers may not."""


class OutsideAudienceError(NotAllowedError):
    """The workspace's admins chose a smaller audience for "add" or "scan".

    `managers` as in `NotAManagerError`; `None` where only guests are left out.
    """

    def __init__(self, operation: str = "add", managers: tuple[str, ...] | None = None) -> None:
        self.operation = operation
        self.managers = managers
        super().__init__(f"may not {operation}")


class UnfitManagerError(BotError):
    """A named person cannot be a manager: a guest, a bot, of elsewhere, or gone."""

    def __init__(self, user_ids: tuple[str, ...] = ()) -> None:
        self.user_ids = user_ids
        super().__init__("a guest, a bot, a stranger, or gone")


@dataclass(frozen=True, slots=True)
class Permissions:
    """Checks at every request who may manage the key, add and scan.

    Those are admins, owners, and whom they choose. Guests, bots and people of other workspaces
    are no managers, even if named. Every method may raise StoreError, and those that take a
    request SlackError, when Slack does not say who the person is.
    """

    documents: Documents

    async def managers(self, workspace: WorkspaceId) -> tuple[str, ...]:
        """Return the ids of the named managers."""
        document = await self.documents.get(f"{workspace}/{KIND}")
        return tuple(document.value["user_ids"]) if document else ()

    async def name_managers(
        self,
        workspace: WorkspaceId,
        user_ids: tuple[str, ...],
        shown: Collection[str] | None = None,
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Replace the managers; return those before, and after.

        `shown` are those whom the form showed: whom another admin named or removed since then
        stays named or removed.
        """
        before: tuple[str, ...] = ()
        after: tuple[str, ...] = ()

        def named(document: Document | None) -> Write:
            nonlocal before, after
            before = tuple(document.value["user_ids"]) if document else ()
            known = before if shown is None else shown
            wanted = [each for each in user_ids if each in before or each not in known]
            others = [each for each in before if each not in (*known, *wanted)]
            after = tuple([*wanted, *others][:MAX_MANAGERS])
            return Write({"v": 1, "user_ids": after})

        await update(self.documents, f"{workspace}/{KIND}", named)
        return before, after

    async def audiences(self, workspace: WorkspaceId) -> dict[str, Audience]:
        """Return who may add and who may scan; raise LookupError if that cannot be read."""
        document = await self.documents.get(f"{workspace}/{AUDIENCES_KIND}")
        if document is None:
            return DEFAULT_AUDIENCES
        return {operation: AUDIENCE_NAMES[document.value[operation]] for operation in CHOSEN_FOR}

    async def choose_audiences(
        self, workspace: WorkspaceId, chosen: Mapping[str, Audience]
    ) -> bool:
        """Save the audiences; return whether one of them differs."""
        before = await self.audiences(workspace)
        after = {**before, **chosen}
        if is_new := before != after:
            names = {audience: name for name, audience in AUDIENCE_NAMES.items()}
            value = {"v": 1, **{operation: names[after[operation]] for operation in after}}
            await self.documents.put(f"{workspace}/{AUDIENCES_KIND}", value)
        return is_new

    async def may_configure(self, request: Request) -> bool:
        return await self.is_configurer(request.workspace, await request.fetch_member())

    async def require_configurer(self, request: Request) -> Member:
        """Return the person, who may configure; raise NotAManagerError."""
        member = await request.fetch_member()
        if not await self.is_configurer(request.workspace, member):
            named = await self.managers(request.workspace)
            raise NotAManagerError(
                named, is_in_organisation=request.workspace.enterprise_id is not None
            )
        return member

    async def require_admin(self, request: Request) -> Member:
        """Return the person; raise NotAnAdminError if they are no admin or owner."""
        member = await request.fetch_member()
        if not member.is_admin:
            raise NotAnAdminError(is_in_organisation=request.workspace.enterprise_id is not None)
        return member

    async def is_configurer(self, workspace: WorkspaceId, member: Member) -> bool:
        """Return whether `member` is an admin, or was named and may be a manager."""
        if member.is_admin or not member.is_colleague:
            return member.is_admin
        return member.user_id in await self.managers(workspace)

    async def require(self, request: Request, operation: str) -> None:
        """Raise OutsideAudienceError unless admins let the person "add" or "scan"."""
        audience = (await self.audiences(request.workspace))[operation]
        if audience is Audience.MANAGERS and not await self.may_configure(request):
            named = await self.managers(request.workspace)
            raise OutsideAudienceError(operation, named)
        if audience is Audience.MEMBERS and not (await request.fetch_member()).is_colleague:
            raise OutsideAudienceError(operation)
