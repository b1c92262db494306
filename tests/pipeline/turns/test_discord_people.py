"""Who may talk to a Discord bot, and where: by person, by server, by a code."""

from dataclasses import replace
from pathlib import Path

from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.stubs.discord import ADA_DM, ADA_USER, BOT, GENERAL, GUILD, Channel
from threadline.app import admission
from threadline.core.ids import BindingName
from threadline.core.settings import Allow
from threadline.core.texts import say

MENTION = f"<@{BOT}>"
BO = {"id": "810000000000000002", "username": "bo.lind", "bot": False}


def test_a_server_may_be_let_in_by_its_id(tmp_path: Path) -> None:
    """A list of servers admits all who are in them, and nobody else."""
    allowed = {"allow": Allow(chats=frozenset({GUILD}))}
    world = DiscordSimulation(tmp_path, settings=discord_settings(allowed))
    world.hear(f"{MENTION} hello")
    world.hear("hello", ADA_DM)
    world.run()
    assert len(world.asked()) == 1
    assert world.discord.shown(ADA_DM) == [say("not_allowed", "en")]
    world.close()


def test_a_binding_may_name_a_server(tmp_path: Path) -> None:
    """It answers in all channels of that server and nowhere else; one that names a channel wins."""
    settings = discord_settings({"chats": frozenset({GUILD})})
    (bound,) = settings.bindings
    silent = replace(bound, name=BindingName("off"), chats=frozenset({"12345678"}), paused=True)
    world = DiscordSimulation(tmp_path, settings=replace(settings, bindings=(bound, silent)))
    world.discord.add(Channel("12345678"))
    for channel in (GENERAL, ADA_DM, "12345678"):
        world.hear(f"{MENTION} hello", channel)
    world.run()
    assert len(world.asked()) == 1
    assert {"no_binding", "paused"} <= {str(line.get("step")) for line in world.lines}
    world.close()


def test_a_person_may_be_let_in_by_id(tmp_path: Path) -> None:
    """A list of people admits them in servers, directly and by commands, and nobody else."""
    allowed = {"allow": Allow(senders=frozenset({str(ADA_USER["id"])}))}
    world = DiscordSimulation(tmp_path, settings=discord_settings(allowed))
    world.hear(f"{MENTION} from bo", author=BO)
    world.hear(f"{MENTION} from ada")
    world.hear("from ada, directly", ADA_DM)
    command = world.discord.asked("by bo's command")
    world.interact(command | {"member": {"user": BO, "nick": None}})
    world.interact(world.discord.asked("by ada's command"))
    world.run()
    assert sorted(text.rpartition(": ")[2] for text in world.asked()) == [
        "by ada's command", "from ada", "from ada, directly",
    ]  # fmt: skip
    world.close()


def test_a_bot_for_one_server_lets_people_in_directly_by_code(tmp_path: Path) -> None:
    """Where only a server may talk, a code sent in a direct message is taken all the same."""
    allowed = {"allow": Allow(chats=frozenset({GUILD}), admitted=True)}
    world = DiscordSimulation(tmp_path, settings=discord_settings(allowed))
    code, row = admission.make_code("discord", "default", bytes(16), world.clock.now())
    world.ports.ports.store.write([row])
    world.hear("hello", ADA_DM)
    world.hear(f"/start {code}", ADA_DM)
    world.run()
    assert world.asked() == []
    assert world.discord.shown(ADA_DM) == [say("not_allowed", "en"), say("welcome", "en")]
    world.hear("hello again", ADA_DM)
    world.run()
    assert world.asked() == ["hello again"]
    world.close()
