"""The operator's commands on the store of the story, as real processes."""

from dataclasses import replace

from tests.stored_0_1.outside import HOME
from tests.whole.many import Many
from tests.whole.test_operating import Said, command, oauth


async def operated(many: Many, *words: str, **more: str) -> Said:
    """Run a command with the settings of the bot that is installed by OAuth."""
    settings = many.settings
    file = settings.model_copy(update={"database_url": f"sqlite:///{many.folder}/bot.sqlite"})
    assert settings.bot_secret_keys
    own = {
        "BOT_SECRET_KEYS": settings.bot_secret_keys.get_secret_value(),
        "DATABASE_URL": settings.database_url,
        "PUBLIC_URL": str(settings.public_url),
    }
    app = oauth(many[HOME], **own)
    return await command(replace(many[HOME], settings=file), *words, **(app | more))
