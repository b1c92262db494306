"""An app of the installation as its platform is to know it, and what the platform says of it."""

from typing import TYPE_CHECKING

from threadline.app.configure.apps import webhook_path
from threadline.cli import state
from threadline.cli.program import as_typed
from threadline.core.errors import CredentialsRejected, PostError
from threadline.core.posting import Credentials
from threadline.core.setup import Finding, Registration, SetsUp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from threadline.app.world import World
    from threadline.core.apps import AppSettings
    from threadline.core.settings import Binding


def registration(
    app: "AppSettings", secrets: "Mapping[str, str]", public: str, bindings: "Iterable[Binding]"
) -> Registration:
    """Put together what the platform is told of an app."""
    own = [one for one in bindings if (one.platform, one.app) == (app.platform, app.app)]
    return Registration(
        credentials=Credentials(
            app.platform, app.app, app.identity, app.identity_name, app.base_url, secrets,
            app.options,
        ),
        transport=app.transport,
        url=public and public.rstrip("/") + webhook_path(app.platform, app.app),
        places=tuple(sorted({place for one in own for place in one.chats})),
        program=as_typed(),
        suffix=state.suffix(),
    )  # fmt: skip


def examined(world: "World", codec: SetsUp, app: Registration) -> tuple[Finding, ...]:
    """Ask the platform; where it does not answer, that is the finding."""
    from threadline.app import posting

    flow = codec.examine(app, world.clock.now())
    try:
        return world.calls.run(posting.under_policy(codec, app.credentials, flow))
    except CredentialsRejected as error:
        return (Finding("account", str(error), f"new credentials: {app.store_secrets}"),)
    except PostError as error:
        return (Finding("account", str(error), "can this machine reach the platform? Ask again"),)
