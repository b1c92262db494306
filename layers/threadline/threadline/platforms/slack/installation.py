"""Through whose installation of the app an event came, and what that says of its writer.

https://docs.slack.dev/apis/events-api/#authorizations
"""

from dataclasses import dataclass

from threadline.core.message import Trust
from threadline.core.posting import Credentials
from threadline.platforms.slack.payload import Fields, flag, identity, section, sections
from threadline.platforms.slack.spoken import Bot


@dataclass(slots=True)
class Installation:
    """The workspace in which the app is installed, or the organisation it is installed for.

    `shared`: the channel is shared with other companies. `app` is the app's id at Slack.
    """

    workspace: str
    enterprise: str
    app: str
    bot: Bot
    org_wide: bool = False
    shared: bool = False

    def is_bot(self, user: str) -> bool:
        """Tell whether this is the app's own user."""
        return bool(user) and user == self.bot.id

    def wrote(self, post: Fields) -> bool:
        """Tell whether the app itself wrote a post."""
        through = identity(post, "app_id") or identity(section(post, "bot_profile"), "app_id")
        by_app = bool(self.app) and through == self.app and bool(identity(post, "bot_id"))
        return by_app or self.is_bot(identity(post, "user"))

    def trust(self, team: str) -> Trust:
        """Tell a member from a stranger by the workspace they belong to, "" for unknown."""
        ours = team in {self.workspace, self.enterprise} if team else not self.shared
        if ours or (self.org_wide and not self.shared):
            return Trust.MEMBER
        return Trust.NONE


def installation_of(envelope: Fields, credentials: Credentials) -> Installation | None:
    """Read the installation from an event's envelope; None where none is named.

    The workspace is the authorization's: in shared channels everything else in the envelope may be
    about another company.
    """
    listed = sections(envelope, "authorizations")
    authorization = listed[0] if listed else {}
    enterprise = identity(authorization, "enterprise_id")
    workspace = identity(authorization, "team_id") or enterprise
    shared = flag(envelope, "is_ext_shared_channel")
    if not authorization and not shared:
        workspace = identity(envelope, "team_id")
    if not workspace:
        return None
    user = identity(authorization, "user_id") if flag(authorization, "is_bot") else ""
    return Installation(
        workspace=workspace,
        enterprise=enterprise,
        app=identity(envelope, "api_app_id"),
        bot=Bot(user or _own(credentials), credentials.identity_name.removeprefix("@")),
        org_wide=flag(authorization, "is_enterprise_install"),
        shared=shared,
    )


def _own(credentials: Credentials) -> str:
    return identity({"identity": credentials.identity}, "identity")
