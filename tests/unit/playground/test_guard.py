import re
from pathlib import Path

import pytest

from tests.unit.playground.page import Page, visit
from threadline.local.playground.guard import TOKEN

STRANGERS = {
    "another name for this machine": {"Host": "rebound.example"},
    "another name with our port": {"Host": "rebound.example:{port}"},
    "no port": {"Host": "127.0.0.1"},
    "another port": {"Host": "127.0.0.1:1"},
    "another site": {"Origin": "https://evil.example"},
    "our host in another scheme": {"Origin": "https://127.0.0.1:{port}"},
    "another program on this machine": {"Origin": "http://127.0.0.1:1"},
    "a sandboxed frame": {"Origin": "null"},
    "a request from another site": {"Sec-Fetch-Site": "cross-site"},
    "a request from another port": {"Sec-Fetch-Site": "same-site"},
    "a tunnel": {"X-Forwarded-For": "203.0.113.7"},
    "a proxy": {"Via": "1.1 proxy"},
}
EVERY_STRANGER = pytest.mark.parametrize("headers", STRANGERS.values(), ids=STRANGERS.keys())


@EVERY_STRANGER
def test_strangers_are_refused_on_every_route(tmp_path: Path, headers: dict[str, str]) -> None:
    """Other hosts, sites and proxies get 403 from every route there is, tokens or not."""

    async def visitor(page: Page) -> None:
        port = page.url.rpartition(":")[2]
        named = {name: value.format(port=port) for name, value in headers.items()}
        secret = page.credentials().secret("api_token")
        tokens = {TOKEN: page.token, "Authorization": f"Bearer {secret}"}
        routes = [(route.method, path_of(route.path)) for route in page.playground.routes()]
        assert len(routes) >= 10
        for method, path in routes:
            async with page.session.request(
                method, page.url + path, headers={**tokens, **named}, json={}
            ) as answer:
                assert (method, path, answer.status) == (method, path, 403)
                assert (await answer.json())["error"]

    visit(tmp_path, visitor)


def test_our_own_page_is_let_in(tmp_path: Path) -> None:
    """Both names of this machine, our own origin and a typed address are let in."""

    async def visitor(page: Page) -> None:
        port = page.url.rpartition(":")[2]
        for host in (f"127.0.0.1:{port}", f"localhost:{port}"):
            for more in (
                {},
                {"origin": f"http://{host}", "sec_fetch_site": "same-origin"},
                {"sec_fetch_site": "none"},
            ):
                answer = await page.get("/playground", host=host, **more)
                assert answer.status == 200

    visit(tmp_path, visitor)


def test_a_link_elsewhere_may_lead_to_the_page_but_not_to_what_it_asks_for(tmp_path: Path) -> None:
    """Following a link opens the page, which cannot be framed; nothing else answers to it."""

    async def visitor(page: Page) -> None:
        link = {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"}
        opened = await page.get("/playground", **link, sec_fetch_dest="document")
        assert opened.status == 200
        assert opened.headers["x-frame-options"] == "DENY"
        framed = await page.get("/playground", **link, sec_fetch_dest="iframe")
        assert framed.status == 403
        other = await page.get("/playground/journeys/1", **link, sec_fetch_dest="document")
        assert other.status == 403

    visit(tmp_path, visitor)


@pytest.mark.parametrize("token", ["", "wrong", "secret-of-this-start-0", "ä"])
def test_writes_want_the_token_of_this_start(tmp_path: Path, token: str) -> None:
    """Without the token that only our page was given, nothing is said and nothing stored."""

    async def visitor(page: Page) -> None:
        given = {TOKEN: token} if token else {TOKEN: ""}
        for path in ("/playground/chats/c1/messages", "/playground/files"):
            async with page.session.post(
                page.url + path, json={"key": "k", "text": "hello"}, headers=given
            ) as answer:
                assert answer.status == 403
        assert page.playground._chats.titles() == ()

    visit(tmp_path, visitor)


def test_the_api_wants_its_own_token(tmp_path: Path) -> None:
    """The page's token opens nothing of the agent's API, nor does none."""

    async def visitor(page: Page) -> None:
        body = {"nonce": "n1", "text": "hello", "tone": "answer"}
        for given in ({}, {"Authorization": f"Bearer {page.token}"}, {"Authorization": "Bearer "}):
            async with page.session.post(
                f"{page.url}/playground/api/chats/c1/posts", json=body, headers=given
            ) as answer:
                assert answer.status == 401
        assert page.playground._chats.titles() == ()

    visit(tmp_path, visitor)


def test_switched_off_there_is_nothing(tmp_path: Path) -> None:
    """Without the app in the settings every route answers 404, also while running."""

    async def visitor(page: Page) -> None:
        page.switch(enabled=False)
        secret = page.credentials().secret("api_token")
        tokens = {TOKEN: page.token, "Authorization": f"Bearer {secret}"}
        for route in page.playground.routes():
            async with page.session.request(
                route.method, page.url + path_of(route.path), headers=tokens, json={}
            ) as answer:
                assert answer.status == 404
        page.switch(enabled=True)
        assert (await page.get("/playground")).status == 200

    visit(tmp_path, visitor)


def path_of(pattern: str) -> str:
    """Fill a route's parameters."""
    return re.sub(r"\{\w+(:[^{}]*(\{[^}]*\})?)?\}", "1", pattern)
