"""What the playground answers with, and the headers of every answer."""

import html
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from aiohttp import web

FOLDER: Final = Path(__file__).parent / "page"

KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
)

HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cache-control": "no-store",
        "content-security-policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            " require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=()",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
    }
)


def json_answer(value: object, status: int = 200) -> web.Response:
    """Answer with JSON."""
    body = json.dumps(value).encode()
    return web.Response(
        status=status, body=body, content_type="application/json", headers=dict(HEADERS)
    )


def refusal(status: int, words: str) -> web.Response:
    """Refuse in words a person can read."""
    return json_answer({"error": words}, status)


def page(**values: str) -> web.Response:
    """Give the page, each `{{name}}` in it replaced by its value."""
    text = (FOLDER / "playground.html").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{{{name}}}}}", html.escape(value))
    return web.Response(text=text, content_type="text/html", headers=dict(HEADERS))


def asset(name: str) -> web.Response:
    """Give a file that belongs to the page; 404 for any other name."""
    known = {path.name: path for path in FOLDER.iterdir() if path.suffix in KINDS}
    path = known.get(name)
    if path is None or path.suffix == ".html":
        return refusal(404, "There is no such file.")
    return web.Response(
        body=path.read_bytes(), content_type=KINDS[path.suffix], charset="utf-8",
        headers=dict(HEADERS),
    )  # fmt: skip


def attachment(name: str, mime: str, body: bytes, *, shown: bool) -> web.Response:
    """Give a file a person attached: pictures are shown, anything else is only saved."""
    headers = {**HEADERS, "content-security-policy": "default-src 'none'; sandbox"}
    if not shown:
        quoted = "".join(char if char.isascii() and char.isalnum() else "-" for char in name)
        headers["content-disposition"] = f'attachment; filename="{quoted}"'
    return web.Response(body=body, content_type=mime, headers=headers)


def fields_of(raw: bytes | None) -> Mapping[str, Any]:
    """Read a JSON object; anything else reads as an empty one."""
    try:
        value = json.loads((raw or b"").decode())
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Give a string, "" where there is none; lone surrogates are replaced."""
    value = fields.get(name)
    if not isinstance(value, str):
        return ""
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
