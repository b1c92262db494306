import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from tests.browser.screen import Screen
from tests.pipeline.serving import Served

HOSTILE = (
    "<img src=x onerror=alert(1)> <script>alert(1)</script> [a](javascript:alert(1)) "
    "![b](https://evil.example/pixel.png) <a href='javascript:alert(1)'>c</a> **bold**"
)
ATTEMPTS = """async (url) => {
  const body = JSON.stringify({ key: "k", text: "from elsewhere" });
  const json = { "content-type": "application/json" };
  const token = { "x-threadline-token": "guessed" };
  const path = `${url}/playground/chats/c1/messages`;
  const tries = [
    [path, { method: "POST", body }],
    [path, { method: "POST", body, mode: "no-cors" }],
    [path, { method: "POST", body, headers: json }],
    [path, { method: "POST", body, headers: { ...json, ...token } }],
    [`${url}/playground/files?name=x`, { method: "POST", body, mode: "no-cors" }],
    [`${url}/webhooks/playground`, { method: "POST", body, mode: "no-cors" }],
    [`${url}/playground`, {}],
    [`${url}/playground/events?chat=c1&after=0`, {}],
    [`${url}/playground/journeys/1`, {}],
  ];
  const read = [];
  for (const [where, how] of tries) {
    try {
      const answer = await fetch(where, how);
      read.push(answer.type === "opaque" ? "opaque" : await answer.text());
    } catch (error) {
      read.push("refused");
    }
  }
  return read;
}"""


def test_a_page_of_another_origin_can_neither_write_nor_read(
    browser: Browser, served: Served, screen: Screen
) -> None:
    """Whatever a site on another port tries, it is answered 403 and reads nothing."""
    with elsewhere() as url, browser.new_context() as context:
        page = context.new_page()
        statuses = statuses_of(page, served.url)
        page.goto(url)
        read = page.evaluate(ATTEMPTS, served.url)
        assert set(read) <= {"opaque", "refused"}
        expected = {
            ("POST /playground/chats/c1/messages", 403),
            ("OPTIONS /playground/chats/c1/messages", 404),
            ("POST /playground/files", 403),
            ("GET /playground", 403),
            ("GET /playground/events", 403),
            ("GET /playground/journeys/1", 403),
            ("POST /webhooks/playground", 401),
        }
        for _ in range(50):  # the browser tells of an answer some time after the page has it
            if statuses >= expected:
                break
            page.wait_for_timeout(100)
        assert statuses == expected
    screen.page.goto(f"{served.url}/playground#c1")
    expect(screen.page.locator("#empty")).to_be_visible()


def test_the_page_cannot_be_framed(browser: Browser, served: Served) -> None:
    """Another site cannot put the page into a frame of its own to have it clicked."""
    frame = f"<iframe src='{served.url}/playground'></iframe>"
    with elsewhere(frame) as url, browser.new_context() as context:
        page = context.new_page()
        statuses = statuses_of(page, served.url)
        page.goto(url)
        page.wait_for_load_state("networkidle")
        assert statuses == {("GET /playground", 403)}
        assert all(not one.query_selector("#composer") for one in page.frames)


def test_a_name_that_was_rebound_to_this_machine_opens_nothing(
    browser: Browser, served: Served
) -> None:
    """Under a name that a stranger's DNS points here, the page is refused in plain words."""
    port = served.url.rpartition(":")[2]
    with browser.new_context() as context:
        page = context.new_page()
        answer = page.goto(f"http://rebound.example:{port}/playground")
        assert answer is not None
        assert answer.status == 403
        assert "only at http://127.0.0.1" in page.inner_text("body")


def test_what_an_agent_says_never_becomes_markup(screen: Screen) -> None:
    """HTML, scripts, pictures from elsewhere and script links in an answer stay text or links."""
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url))
    screen.page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    screen.say(HOSTILE)
    answer = screen.answers("You said:")
    expect(answer).to_contain_text("<script>alert(1)</script>")
    assert answer.locator("script, img, iframe, [onerror]").count() == 0
    links = [one.get_attribute("href") for one in answer.locator("a").all()]
    assert links == ["https://evil.example/pixel.png"]
    assert not [url for url in asked if "evil.example" in url or url.startswith("dialog")]
    expect(answer.locator("strong")).to_have_text("bold")


def statuses_of(page: Page, url: str) -> set[tuple[str, int]]:
    """Collect how our server answers a page: what was asked and the status, blocked ones too."""
    statuses: set[tuple[str, int]] = set()
    requests: dict[str, tuple[str, str]] = {}
    answers: dict[str, int] = {}  # the browser may tell of an answer before it tells of its request
    wire = page.context.new_cdp_session(page)
    wire.send("Network.enable")

    def pair(request: str) -> None:
        method, where = requests.get(request, ("", ""))
        if request in answers and where.startswith(url):
            statuses.add((f"{method} {urlsplit(where).path}", answers[request]))

    def asked(event: dict[str, Any]) -> None:
        requests[event["requestId"]] = event["request"]["method"], event["request"]["url"]
        pair(event["requestId"])

    def answered(event: dict[str, Any]) -> None:
        answers[event["requestId"]] = event["statusCode"]
        pair(event["requestId"])

    wire.on("Network.requestWillBeSent", asked)
    wire.on("Network.responseReceivedExtraInfo", answered)
    return statuses


@contextmanager
def elsewhere(html: str = "") -> Iterator[str]:
    """Serve another site on a port of its own."""

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f"<!doctype html><title>elsewhere</title>{html}".encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            with suppress(BrokenPipeError):
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
