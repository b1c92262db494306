"""A page on this machine with one button: it hands a form in at a vendor, who then calls back.

The vendor's answer comes as a redirect of the browser's to this page, with a code that is exchanged
for the new app's secrets. A page of somebody else's can neither read the state nor guess it.
"""

import hmac
import html
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Self
from urllib.parse import parse_qs, urlsplit

from threadline.core.errors import ThreadlineError
from threadline.core.setup import Form, Registered

BACK = "/registered"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Threadline</title>
<body><h1>{heading}</h1>{body}</body></html>"""


@dataclass(slots=True)
class Registering:
    """The page with the form; `url` is where, `back` where the vendor is to lead to.

    `exchange` turns the code into what was registered. Only who knows the state has it called, and
    nobody once it succeeded. `refused` says why it did not.
    """

    state: str
    exchange: Callable[[str], Registered]
    form: Form | None = None
    registered: Registered | None = None
    refused: str = ""
    url: str = ""
    _done: threading.Event = field(default_factory=threading.Event)
    _once: threading.Lock = field(default_factory=threading.Lock)

    @property
    def back(self) -> str:
        """Where the vendor is to lead the browser."""
        return self.url + BACK

    @contextmanager
    def served(self) -> Iterator[Self]:
        """Serve the page on this machine for as long as the block lasts."""
        handler = type("Bound", (_Handler,), {"registering": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True).start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def wait(self, seconds: float) -> Registered | None:
        """Wait until it is registered; None where that did not happen in time."""
        self._done.wait(seconds)
        return self.registered

    def end(self) -> Registered | None:
        """Take no further code; give what was registered, by an exchange under way too."""
        with self._once:
            self._done.set()
            return self.registered

    def page(self) -> tuple[int, str]:
        """Give the page with the button."""
        if self.form is None or self._done.is_set():
            return 404, PAGE.format(heading="Nothing to do here", body="")
        fields = "".join(
            f'<input type="hidden" name="{html.escape(name)}" value="{html.escape(value)}">'
            for name, value in self.form.fields.items()
        )
        button = f'<form method="post" action="{html.escape(self.form.action)}">{fields}'
        return 200, PAGE.format(
            heading="Register the app", body=f"{button}<button>Register</button></form>"
        )

    def take(self, query: str) -> tuple[int, str]:
        """Take what the vendor sent along with the browser."""
        given = {name: values[0] for name, values in parse_qs(query).items()}
        if not hmac.compare_digest(given.get("state", "").encode(), self.state.encode()):
            return 403, PAGE.format(heading="This did not begin here", body="")
        with self._once:
            if self._done.is_set():
                heading = "It is registered already" if self.registered else "This has ended"
                return 404, PAGE.format(heading=heading, body="")
            try:
                self.registered = self.exchange(given.get("code", ""))
            except ThreadlineError as error:
                self.refused = str(error)
                return 502, PAGE.format(heading="Not registered", body=html.escape(str(error)))
            self._done.set()
        install = f'<a href="{html.escape(self.registered.install)}">Install it</a>'
        body = f"<p>The terminal says when its secrets are stored.</p><p>{install}</p>"
        heading = f"{html.escape(self.registered.name)} is registered"
        return 200, PAGE.format(heading=heading, body=body)


class _Handler(BaseHTTPRequestHandler):
    registering: ClassVar[Registering]

    def do_GET(self) -> None:
        """Show the form, or take the vendor's answer; only as this machine is called here."""
        try:
            parts = urlsplit(self.path)
        except ValueError:
            self.send_error(400)
            return
        if self.headers.get("host", "") != urlsplit(self.registering.url).netloc:
            status, page = 403, PAGE.format(heading="Not here", body="")
        elif parts.path == BACK:
            status, page = self.registering.take(parts.query)
        else:
            status, page = self.registering.page()
        body = page.encode()
        self.send_response_only(status)
        for name, value in (
            ("content-type", "text/html; charset=utf-8"),
            ("content-length", str(len(body))),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
            ("cache-control", "no-store"),
            ("referrer-policy", "no-referrer"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing: the code is in the address."""
