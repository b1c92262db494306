"""What a session learns of servers and threads, and what it keeps of it."""

from typing import Any

from tests.unit.discord.sessions import (
    BOT,
    CHANNEL,
    GUILD,
    THREAD,
    Gateway,
    message,
    server,
    thread,
)
from threadline.platforms.discord.known import MOST_DIRECT, MOST_THREADS, Known, Thread

OTHER = "810000000000000009"
LATER = "1550952349696000055"


def inside(**more: Any) -> Gateway:
    """Give a session in one server with one thread of the bot's."""
    gateway = Gateway()
    gateway.enters()
    gateway.event("GUILD_CREATE", server(**more), 2)
    return gateway


def test_a_message_in_a_thread_names_its_channel() -> None:
    """A message tells only the thread; the delivery also tells whose it is and its channel."""
    gateway = inside()
    gateway.event("MESSAGE_CREATE", message(LATER, channel_id=THREAD), 3)
    place = gateway.deliveries[0]["place"]
    assert place == {"roles": ["1180000000000000202"], "parent": CHANNEL, "ours": True}


def test_only_the_role_of_the_bot_alone_calls_it() -> None:
    """A role that people have, too, does not mean the bot."""
    gateway = inside()
    gateway.event("MESSAGE_CREATE", message(LATER), 3)
    assert gateway.deliveries[0]["place"]["roles"] == ["1180000000000000202"]


def test_a_thread_is_ours_once_the_bot_spoke_in_it() -> None:
    """Every thread the bot began or answered in is remembered, also the older ones."""
    gateway = inside()
    gateway.event("THREAD_CREATE", thread(LATER, owner=OTHER), 3)
    gateway.event("MESSAGE_CREATE", message("1550952349696000059", channel_id=LATER), 4)
    assert not gateway.deliveries[-1]["place"]["ours"]
    spoken = message("1550952349696000060", channel_id=LATER, author={"id": BOT})
    gateway.event("MESSAGE_CREATE", spoken, 5)
    gateway.event("MESSAGE_CREATE", message("1550952349696000061", channel_id=LATER), 6)
    assert gateway.deliveries[-1]["place"]["ours"]
    gateway.event("THREAD_UPDATE", thread(LATER, owner=OTHER), 7)
    gateway.event("MESSAGE_CREATE", message("1550952349696000062", channel_id=LATER), 8)
    assert gateway.deliveries[-1]["place"]["ours"]


def test_what_is_known_outlives_the_process() -> None:
    """A resumed session is told of no servers, and knows them from what was kept."""
    gateway = inside()
    second = gateway.again()
    second.hears(10, {"heartbeat_interval": 41_250})
    second.event("MESSAGE_CREATE", message(LATER, channel_id=THREAD), 9)
    assert second.deliveries[0]["place"]["parent"] == CHANNEL


def test_what_is_gone_is_forgotten() -> None:
    """A deleted thread, and a server that was left, are no longer kept; an outage forgets none."""
    gateway = inside()
    gateway.event("THREAD_CREATE", thread(LATER), 3)
    gateway.event("THREAD_DELETE", {"id": LATER, "guild_id": GUILD}, 4)
    assert f"thread/{LATER}" not in gateway.cursor
    gateway.event("GUILD_DELETE", {"id": GUILD, "unavailable": True}, 5)
    assert f"guild/{GUILD}" in gateway.cursor
    gateway.event("GUILD_DELETE", {"id": GUILD}, 6)
    assert not [name for name in gateway.cursor if "/" in name]


def test_a_server_left_meanwhile_is_forgotten_at_the_next_start() -> None:
    """READY names the servers the bot is in: others are no longer known."""
    gateway = inside()
    gateway.closes(4009)
    second = gateway.again()
    second.hears(10, {"heartbeat_interval": 41_250})
    second.event("READY", {"session_id": "b", "user": {"id": BOT}, "guilds": []}, 1)
    assert not [name for name in second.cursor if "/" in name]


def test_threads_that_come_into_sight_are_learned() -> None:
    """A channel that the bot may see from now on brings its threads along."""
    gateway = inside(threads=[])
    gateway.event("THREAD_LIST_SYNC", {"guild_id": GUILD, "threads": [thread(LATER)]}, 3)
    assert gateway.cursor[f"thread/{LATER}"] == f"{GUILD} {CHANNEL} ours"


def test_direct_channels_are_known_by_their_messages() -> None:
    """Nothing announces a direct channel but what is said in it; the last hundred are kept."""
    gateway = inside()
    for number in range(MOST_DIRECT + 5):
        direct = message(f"15509523496960{number:05d}", channel_id=f"11700000000001{number:05d}")
        del direct["guild_id"]
        gateway.event("MESSAGE_CREATE", direct, 3 + number)
    kept = [name for name in gateway.cursor if name.startswith("direct/")]
    assert len(kept) == MOST_DIRECT
    assert "direct/1170000000000100000" not in kept


def test_of_very_many_threads_ours_and_the_newest_are_kept() -> None:
    """Memory and cursor are bounded, and what is ours goes last."""
    listed = [thread(str(10**18 + number), owner=OTHER) for number in range(MOST_THREADS + 50)]
    gateway = inside(threads=[thread(str(10**17)), *listed])
    kept = {name for name in gateway.cursor if name.startswith("thread/")}
    assert len(kept) == MOST_THREADS
    assert f"thread/{10**17}" in kept
    assert f"thread/{10**18}" not in kept


def test_what_cannot_be_read_was_not_kept() -> None:
    """Broken texts of a cursor are left out."""
    broken = {"thread/1": "", "thread/x": "1 2", "thread/5": "1", "guild/": "-", "other": "1"}
    assert Known.read(broken) == Known()
    whole = Known({"1": ("2",), "3": ()}, {"4": Thread("1", "5", ours=True)}, ("6",))
    assert Known.read(whole.entries()) == whole
