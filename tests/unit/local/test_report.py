from threadline.app.configure.surroundings import PlatformStatus
from threadline.core.ids import AppName, PlatformName
from threadline.local.report import Place, hints, table

HERE = Place("http://127.0.0.1:8420")


def row(platform: str, app: str, why: str, webhook: str = "", *, on: bool = True) -> PlatformStatus:
    """Make a row."""
    return PlatformStatus(
        platform=PlatformName(platform), app=AppName(app), on=on, why=why, webhook=webhook
    )


ROWS = (
    row("playground", "default", "ready"),
    row("telegram", "default", "no bot_token: threadline secrets set telegram", on=False),
    row("github", "work", "ready", "/webhooks/github/work"),
)


def test_the_table_tells_what_is_on_why_and_what_to_register() -> None:
    """A line for each app: its name, on or off, the reason, the address to register."""
    assert table(ROWS, Place("http://127.0.0.1:8420", "https://chat.example.com")).split("\n") == [
        "  playground   on   ready",
        "  telegram     off  no bot_token: threadline secrets set telegram",
        "  github/work  on   ready; register https://chat.example.com/webhooks/github/work",
    ]


def test_without_a_public_address_the_table_says_how_to_get_one() -> None:
    """A webhook that nobody can reach is not shown as an address of this machine."""
    assert "register <public address>/webhooks/github/work" in table(ROWS, HERE)
    assert any("THREADLINE_PUBLIC_URL" in line for line in hints(ROWS, HERE))


def test_the_page_to_open_is_said_when_there_is_one() -> None:
    """The playground's address stands alone on its line, so that it can be opened from there."""
    assert "Open http://127.0.0.1:8420/playground" in hints(ROWS, HERE)
    assert hints(ROWS[1:2], HERE) == ()
