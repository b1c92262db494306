"""Whom a comment of ours would call: bots are not to be, since two bots can talk for ever."""

from typing import Final

from threadline.core.http import Flow, HttpResponse
from threadline.core.posting import Credentials
from threadline.platforms.github import rest

MOST_LOOKED_UP: Final = 10


def without_bots(text: str, credentials: Credentials) -> Flow[str]:
    """Silence every mention of a bot; people stay mentioned.

    Whether an app has a login is asked of GitHub. Where that stays open, and beyond ten logins,
    it counts as a bot: an unwanted silence does less harm than an endless exchange.
    """
    from threadline.text.mentions import bare, mentioned, silence

    called = sorted(mentioned(text))
    own = {bare(credentials.identity_name)} & set(called)
    bots = own | set(called[MOST_LOOKED_UP:])
    for login in called[:MOST_LOOKED_UP]:
        if login not in own and (yield from _may_be_a_bot(login, credentials)):
            bots.add(login)
    return silence(text, bots)


def _may_be_a_bot(login: str, credentials: Credentials) -> Flow[bool]:
    answer = yield from rest.call("GET", f"/users/{login}%5Bbot%5D", credentials, repeatable=True)
    return not (isinstance(answer, HttpResponse) and answer.status == 404)
