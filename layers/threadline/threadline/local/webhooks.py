"""Telling Telegram where to call us, or that it need not: by python-telegram-bot's Bot.

https://core.telegram.org/bots/api#setwebhook
"""

import contextlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from telegram import Bot
from telegram.error import TelegramError

from threadline.core.errors import ThreadlineError
from threadline.core.policy import redact
from threadline.core.settings import AppSettings
from threadline.platforms.telegram.api import HOST
from threadline.platforms.telegram.needs import CONNECTIONS
from threadline.platforms.telegram.parse import ALLOWED_UPDATES


class Unregistered(ThreadlineError):
    """Telegram did not take the registration."""


@dataclass(frozen=True, slots=True)
class TelegramWebhook:
    """The webhook of one bot."""

    app: AppSettings
    secrets: Mapping[str, str] = field(repr=False)

    async def register(self, url: str) -> None:
        """Have updates sent to the address, with the secret. Raises Unregistered."""
        with self._said_plainly():
            async with self._bot() as bot:
                await bot.set_webhook(
                    url,
                    secret_token=self.secrets.get("webhook_secret", ""),
                    max_connections=CONNECTIONS,
                    allowed_updates=ALLOWED_UPDATES,
                )

    async def remove(self) -> None:
        """Have updates kept for whoever asks. Raises Unregistered."""
        with self._said_plainly():
            async with self._bot() as bot:
                await bot.delete_webhook()

    def _bot(self) -> Bot:
        # Both log every address they call, and the token is part of it.
        for name in ("httpx", "httpcore"):
            logging.getLogger(name).setLevel(logging.WARNING)
        root = self.app.base_url.rstrip("/") or f"https://{HOST}"
        return Bot(self.secrets["bot_token"], base_url=f"{root}/bot")

    @contextlib.contextmanager
    def _said_plainly(self) -> Iterator[None]:
        try:
            yield
        except TelegramError as error:
            what = redact(f"{type(error).__name__}: {error}", self.secrets.values())
            raise Unregistered(f"Telegram did not take it ({what})") from None
