import pytest

from bot.installations.installation import encode, organisation
from bot.ops.stores import WorkspaceNames, workspace_names
from bot.store.documents import Document
from bot.workspace import WorkspaceId
from tests.ops.builders import an_installation

ACME, INSIDE, ORG = WorkspaceId("T1"), WorkspaceId("T2", "E1"), organisation("E1")


@pytest.mark.parametrize(
    ("workspace", "name", "said"),
    [
        (ACME, "", "T1"),
        (ACME, "Acme", "Acme (T1)"),
        (INSIDE, "Acme", "Acme (T2, organisation E1)"),
        (ORG, "Big", "Big (organisation E1)"),
        (ACME, "Ac\x1b[31m", "Ac\\x1b[31m (T1)"),
    ],
)
def test_a_workspace_is_called_by_name_and_by_what_slack_shows(
    workspace: WorkspaceId, name: str, said: str
) -> None:
    assert WorkspaceNames({workspace: name}).workspace(workspace) == said


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("-.T1/digest/d1", "digest/d1 of Acme (T1)"),
        ("E1.T2/key", "key of T2 (organisation E1)"),
        ("meta/key-check", "meta/key-check"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_document_is_called_by_what_it_is_and_whose(key: str, said: str) -> None:
    assert WorkspaceNames({ACME: "Acme"}).document(key) == said


def test_names_come_from_the_installations() -> None:
    documents = [
        Document("-.T1/installation", encode(an_installation(ACME, name="Acme")), 1, None),
        Document("-.T9/digest/d1", {"name": "no name"}, 1, None),
        Document("nowhere/installation", {"name": "no place"}, 1, None),
        Document("E1.T2/installation", {"v": 9}, 1, None),
    ]

    assert workspace_names(documents) == WorkspaceNames({ACME: "Acme", INSIDE: ""})
