"""Forgetting at any moment of any history: all of theirs is gone, or nothing was touched."""

from pathlib import Path
from random import Random

import pytest

from tests.simulation.forgetting import ADA, BEN, PLANTED, TELEGRAM, TOPIC, Busy, traces_of
from threadline.app.forget.removal import InWork

SAID = ("hello", "sleep 20", "ask", "red", "long 3", "boom", "/new", "/stop", "/status")
STEPS = 14


def happen(world: Busy, rng: Random) -> None:
    """Let somebody say something somewhere, and some time pass."""
    person = rng.choice((ADA, BEN))
    where = TOPIC if rng.random() < 0.4 else {}
    world.says(person, rng.choice(SAID), **where)
    world.run(rng.choice((0.2, 1.0, 5.0, 40.0)))


@pytest.mark.parametrize("seed", range(24))
def test_at_any_moment_all_of_it_goes_or_none(tmp_path: Path, seed: int) -> None:
    """Whatever is under way, a refusal changes nothing, and others are answered all the same."""
    world, rng = Busy(tmp_path), Random(seed)
    try:
        for _ in range(STEPS):
            happen(world, rng)
            if rng.random() < 0.3:
                _try(world)
        world.says(ADA, "/stop")
        world.says(ADA, "/stop", **TOPIC)
        world.run()
        world.forget(TELEGRAM)
        assert traces_of(tmp_path, PLANTED, str(ADA)) == []
        for person in (ADA, BEN):
            world.says(person, "/new")
            world.says(person, "goes on")
        world.run()
        assert f"echo: goes on {PLANTED}" in world.shown(ADA)
        assert "echo: goes on" in world.shown(BEN)
        assert world.quiet()
        assert world.store.offences == []
    finally:
        world.close()


def _try(world: Busy) -> None:
    """Forget in the midst of it; what is in work keeps all of it where it was."""
    before = world.everything()
    try:
        world.forget(TELEGRAM)
    except InWork as work:
        if "meanwhile" not in str(work):
            assert world.everything() == before
    else:
        assert traces_of(world.folder, PLANTED, str(ADA)) == []
