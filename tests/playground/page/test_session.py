"""Links of a message that lead to a tab of the app, or to its direct message."""

from bot.playground.page.session import DIRECT_MESSAGE, Session, place_of_link
from bot.playground.slack import running_slack


async def test_a_link_to_the_own_direct_message_opens_it_and_another_opens_nothing() -> None:
    async with running_slack() as slack:
        session = Session(slack, "bob", "")
        direct = slack.world.workspace.direct_message(session.member)
        team = slack.team_id

        own = place_of_link(f"slack://channel?team={team}&id={direct.id}", session)
        other = place_of_link(f"slack://channel?team={team}&id=C0000000001", session)
        elsewhere = place_of_link(f"slack://channel?team=T0OTHER&id={direct.id}", session)

    assert own == DIRECT_MESSAGE
    assert (other, elsewhere) == (None, None)
