"""The flow of one part: token where the platform wants one, then post, edit, mark or upload."""

from typing import Final

from threadline.app.world import World
from threadline.core import keys
from threadline.core.errors import CredentialsRejected, PostRejected
from threadline.core.http import Flow
from threadline.core.platform import (
    Edits,
    ExchangesToken,
    Platform,
    Posts,
    ReadsHistory,
    Signals,
    UploadsFiles,
)
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Credentials, Destination, Receipt
from threadline.core.records import Part

TOKEN_SPARE: Final = 300.0


def credentials(world: World, platform: str, app: str) -> Credentials:
    """Give what an app posts with. Raises CredentialsRejected where the app is not configured."""
    settings = world.settings().app(platform, app)
    if settings is None:
        raise CredentialsRejected(f"{platform}/{app} is not configured")
    return Credentials(
        settings.platform, settings.app, settings.identity, settings.identity_name,
        settings.base_url, world.secrets.get(f"{platform}/{app}"),
    )  # fmt: skip


def policy(platform: Platform, using: Credentials) -> Policy:
    """Give the policy of every call to a platform: its own hosts, or the configured address."""
    traits = platform.traits
    return Policy(
        api_hosts=frozenset() if using.base_url else traits.api_hosts,
        file_hosts=traits.file_hosts,
        base_urls=(using.base_url,) if using.base_url else (),
        secrets=tuple(using.secrets.values()),
    )


def under_policy[T](platform: Platform, using: Credentials, flow: Flow[T]) -> Flow[T]:
    """Put a flow of a platform under its policy."""
    return guarded(flow, policy(platform, using))


def posting(world: World, part: Part) -> Flow[Receipt]:
    """Do what the part says. Raises PostError."""
    platform, using = ready(world, part.destination)
    return under_policy(platform, using, _steps(world, platform, using, part))


def looking_up(world: World, part: Part) -> Flow[Receipt | None] | None:
    """Look for a post whose answer was lost; None where the platform cannot tell."""
    platform, using = ready(world, part.destination)
    if not isinstance(platform, ReadsHistory) or part.action != "post":
        return None
    flow = _look(world, platform, using, part)
    return under_policy(platform, using, flow)


def ready(world: World, to: Destination) -> tuple[Platform, Credentials]:
    """Give the codec and credentials for a destination. Raises CredentialsRejected."""
    platform = world.platform(to.platform)
    if platform is None:
        raise CredentialsRejected(f"platform {to.platform} is not known")
    return platform, credentials(world, to.platform, to.app)


def _steps(world: World, platform: Platform, using: Credentials, part: Part) -> Flow[Receipt]:
    using = yield from tokened(world, platform, using, part.destination)
    nonce = keys.nonce(part.id)
    match part.action:
        case "post" if isinstance(platform, Posts):
            return (yield from platform.post(part.draft, part.destination, using, nonce))
        case "edit" if isinstance(platform, Edits) and part.target is not None:
            return (yield from platform.edit(part.draft, part.target, part.destination, using))
        case "signal" if isinstance(platform, Signals) and part.stage is not None:
            yield from platform.signal(part.stage, part.destination, using)
            return Receipt("")
        case "upload" if isinstance(platform, UploadsFiles):
            facts = part.draft.facts
            return (
                yield from platform.upload(
                    facts["name"], facts["mime"], facts["blob"], int(facts["size"]),
                    part.destination, using,
                )
            )  # fmt: skip
        case _:
            raise PostRejected(f"{platform.name} cannot {part.action}")


def _look(
    world: World, platform: ReadsHistory, using: Credentials, part: Part
) -> Flow[Receipt | None]:
    using = yield from tokened(world, platform, using, part.destination)
    nonce = keys.nonce(part.id)
    return (yield from platform.find_posted(part.draft, part.destination, using, nonce))


def tokened(
    world: World, platform: Platform, using: Credentials, to: Destination
) -> Flow[Credentials]:
    """Give credentials with a token that still lives, exchanged and remembered where needed."""
    if not isinstance(platform, ExchangesToken):
        return using
    now = world.clock.now()
    place = keys.join((to.platform, to.app, to.workspace))
    known = world.tokens.get(place)
    if known is not None and float(known.secret("token_expires_at") or 0) > now + TOKEN_SPARE:
        return known
    fresh = yield from platform.exchange(using, to, now)
    world.tokens[place] = fresh
    return fresh
