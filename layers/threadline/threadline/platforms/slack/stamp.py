"""A recorded request, as Slack would send it now."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.slack.parse import FORM
from threadline.platforms.slack.verify import SECRET, SIGNATURE, TIME, sign


def stamp(request: Webhook, credentials: Credentials, now: float, fresh: int) -> Webhook:
    """Sign time and body; `fresh` above 0 first makes it another event, happening now."""
    body = _renewed(request, now, fresh) if fresh > 0 else request.body
    at = str(int(now))
    signed = {SIGNATURE: sign(body, at, credentials.secret(SECRET)), TIME: at}
    return replace(request, headers={**request.headers, **signed}, body=body)


def _renewed(request: Webhook, now: float, fresh: int) -> bytes:
    is_form = request.headers.get("content-type", "").lower().startswith(FORM)
    try:
        form = dict(parse_qsl(request.body.decode(), keep_blank_values=True)) if is_form else {}
        payload = json.loads(form.get("payload", "{}") if is_form else request.body)
    except ValueError:
        return request.body
    if not isinstance(payload, dict):
        return request.body
    moment = f"{int(now):010d}.{fresh % 1_000_000:06d}"
    if not is_form:
        return json.dumps(_event(payload, moment, now, fresh), ensure_ascii=False).encode()
    if "payload" in form:
        pressed = {
            **payload,
            "trigger_id": f"{fresh}.{moment}",
            "actions": _pressed(payload, moment),
        }
        return urlencode({**form, "payload": json.dumps(pressed, ensure_ascii=False)}).encode()
    return urlencode({**form, "trigger_id": f"{fresh}.{moment}"}).encode()


def _event(payload: Mapping[str, Any], moment: str, now: float, fresh: int) -> Mapping[str, Any]:
    event = payload.get("event")
    if not isinstance(event, dict):
        return payload
    renewed = {**event, **_moved(event, moment)}
    for name in ("message", "previous_message"):
        if isinstance(event.get(name), dict):
            renewed[name] = {**event[name], **_moved(event[name], moment)}
    return {
        **payload, "event": renewed, "event_id": f"Ev{fresh:09d}", "event_time": int(now),
    }  # fmt: skip


def _moved(post: Mapping[str, Any], moment: str) -> Mapping[str, Any]:
    """Give the times of a post anew; the thread it was written below stays the same."""
    moved = {name: moment for name in ("ts", "event_ts") if name in post}
    if "thread_ts" in post and post["thread_ts"] == post.get("ts"):
        moved["thread_ts"] = moment
    return moved


def _pressed(payload: Mapping[str, Any], moment: str) -> list[Any]:
    return [{**action, "action_ts": moment} for action in payload.get("actions", [])]
