"""The flow of one part: token where the platform wants one, then post, edit, mark or upload."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from threadline.app.world import World
from threadline.core import keys
from threadline.core.errors import CredentialsRejected, PostRejected
from threadline.core.http import BlobRef, Flow
from threadline.core.platform import (
    Edits,
    ExchangesToken,
    Platform,
    Posts,
    ReadsHistory,
    Signals,
    UploadsFiles,
)
from threadline.core.policy import Policy, guarded, over_http
from threadline.core.posting import Credentials, Destination, FileDraft, Receipt
from threadline.core.records import Part

TOKEN_SPARE: Final = 300.0


def credentials(world: World, platform: str, app: str) -> Credentials:
    """Give what an app posts with. Raises CredentialsRejected where the app is not configured."""
    settings = world.settings().app(platform, app)
    if settings is None:
        raise CredentialsRejected(f"{platform}/{app} is not configured")
    return Credentials(
        settings.platform, settings.app, settings.identity, settings.identity_name,
        settings.base_url, world.secrets.get(f"{platform}/{app}"), settings.options,
    )  # fmt: skip


def policy(platform: Platform, using: Credentials) -> Policy:
    """Give the policy of every call to a platform: its own hosts, or the configured address."""
    traits = platform.traits
    return Policy(
        api_hosts=frozenset() if using.base_url else traits.api_hosts,
        file_hosts=traits.file_hosts,
        base_urls=tuple(filter(None, (using.base_url, over_http(using.base_url)))),
        secrets=tuple(using.secrets.values()),
    )


def under_policy[T](platform: Platform, using: Credentials, flow: Flow[T]) -> Flow[T]:
    """Put a flow of a platform under its policy."""
    return guarded(flow, policy(platform, using))


def acting[T](
    world: World, to: Destination, act: Callable[[Platform, Credentials], Flow[T]]
) -> Flow[T]:
    """Act at a platform under its policy, with a token that lives. Raises PostError."""
    platform, using = ready(world, to)
    return under_policy(platform, using, _with_token(world, platform, using, to, act))


def posting(world: World, part: Part) -> Flow[Receipt]:
    """Do what the part says. Raises PostError."""
    return acting(world, part.destination, lambda platform, using: _do(platform, using, part))


def looking_up(world: World, part: Part) -> Flow[Receipt | None] | None:
    """Look for a post whose answer was lost; None where the platform cannot tell."""
    platform, _ = ready(world, part.destination)
    if not isinstance(platform, ReadsHistory) or part.action != "post":
        return None
    to, nonce = part.destination, keys.nonce(part.id)
    draft = replace(part.draft, at=part.order)
    return acting(world, to, lambda _, using: platform.find_posted(draft, to, using, nonce))


def ready(world: World, to: Destination) -> tuple[Platform, Credentials]:
    """Give the codec and credentials for a destination. Raises CredentialsRejected."""
    platform = world.platform(to.platform)
    if platform is None:
        raise CredentialsRejected(f"platform {to.platform} is not known")
    return platform, credentials(world, to.platform, to.app)


def _do(platform: Platform, using: Credentials, part: Part) -> Flow[Receipt]:
    nonce, draft = keys.nonce(part.id), replace(part.draft, at=part.order)
    match part.action:
        case "post" if isinstance(platform, Posts):
            return (yield from platform.post(draft, part.destination, using, nonce))
        case "edit" if isinstance(platform, Edits) and part.target is not None:
            return (yield from platform.edit(draft, part.target, part.destination, using))
        case "signal" if isinstance(platform, Signals) and part.stage is not None:
            yield from platform.signal(part.stage, part.destination, using)
            return Receipt("")
        case "upload" if isinstance(platform, UploadsFiles):
            return (yield from platform.upload(_file(part), part.destination, using))
        case _:
            raise PostRejected(f"{platform.name} cannot {part.action}")


def _file(part: Part) -> FileDraft:
    """Give the file that a part posts, dated after the words that name it."""
    facts = part.draft.facts
    blob = BlobRef(facts["blob"], int(facts["size"]), facts["mime"], facts.get("sha256", ""))
    return FileDraft(facts["name"], blob, part.order + part.number)


def _with_token[T](
    world: World,
    platform: Platform,
    using: Credentials,
    to: Destination,
    act: Callable[[Platform, Credentials], Flow[T]],
) -> Flow[T]:
    """Act once more, under another token, where a remembered one is no longer taken."""
    remembered = world.tokens.get(_place(to))
    using = yield from _tokened(world, platform, using, to)
    try:
        return (yield from act(platform, using))
    except CredentialsRejected:
        if world.tokens.pop(_place(to), None) is None or using is not remembered:
            raise
    using = yield from _tokened(world, platform, using, to)
    return (yield from act(platform, using))


def _tokened(
    world: World, platform: Platform, using: Credentials, to: Destination
) -> Flow[Credentials]:
    """Give credentials with a token that still lives, exchanged and remembered where needed."""
    if not isinstance(platform, ExchangesToken):
        return using
    now = world.clock.now()
    known = world.tokens.get(_place(to))
    if known is not None and float(known.secret("token_expires_at") or 0) > now + TOKEN_SPARE:
        return known
    fresh = yield from platform.exchange(using, to, now)
    world.tokens[_place(to)] = fresh
    return fresh


def _place(to: Destination) -> str:
    return keys.join((to.platform, to.app, to.workspace))
