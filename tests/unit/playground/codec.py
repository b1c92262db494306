"""The codec's own flows against an open page, as watch and deliver run them."""

from tests.unit.playground.page import Page
from threadline.core.http import Flow
from threadline.core.policy import Policy, guarded
from threadline.core.posting import Destination, Draft, Receipt, Reply, Tone
from threadline.platforms.playground import PLATFORM

NONCE = "0123456789abcdef0123456789abcdef"


def draft(text: str, tone: Tone = Tone.ANSWER) -> Draft:
    """Render a short text."""
    return PLATFORM.render(Reply(text, tone))[0]


def to(page: Page, chat: str = "c1") -> Destination:
    """Name a chat, in answer to its first message."""
    return Destination(PLATFORM.name, page.credentials().app, "", chat, anchor="1", private=True)


async def post(page: Page, what: Draft, nonce: str = NONCE, chat: str = "c1") -> Receipt:
    """Post to the page."""
    flow = PLATFORM.post(what, to(page, chat), page.credentials(), nonce)
    return await call(page, flow)


async def edit(page: Page, what: Draft, posted: Receipt) -> Receipt:
    """Edit what stands on the page."""
    return await call(page, PLATFORM.edit(what, posted, to(page), page.credentials()))


async def call[T](page: Page, flow: Flow[T]) -> T:
    """Run a flow under the platform's policy."""
    using = page.credentials()
    policy = Policy(base_urls=(using.base_url,), secrets=tuple(using.secrets.values()))
    return await page.world.calls.arun(guarded(flow, policy))
