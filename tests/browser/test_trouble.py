from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.browser.screen import Screen
from tests.pipeline.serving import serving


def test_a_page_that_lost_its_server_says_so_and_goes_on(browser: Browser, tmp_path: Path) -> None:
    """After kill -9 the page says that it reconnects, keeps what was typed, and sends it later."""
    with browser.new_context() as context:
        with serving(tmp_path) as served:
            served.says("Agent demo at", "answers")
            port = int(served.url.rpartition(":")[2])
            screen = Screen(context.new_page())
            screen.page.goto(f"{served.url}/playground")
            screen.say("before")
            screen.answers("You said: before")
            screen.say("sleep 4")
            screen.steps("run_created")
            served.kill()
        screen.wait("#connection", "Reconnecting…")
        screen.say("typed meanwhile")
        screen.wait("#trouble", "Threadline does not answer.")
        expect(screen.page.get_by_label("Your message")).to_have_value("typed meanwhile")
        with serving(tmp_path, port=port) as served:
            expect(screen.page.locator("#connection")).to_have_text("", timeout=60_000)
            screen.page.get_by_label("Your message").press("Enter")
            screen.answers("You said: typed meanwhile")
            expect(screen.page.locator("#trouble")).to_be_hidden()
            expect(screen.page.locator(".mine")).to_have_count(3)
            screen.answers("You said: before")
            assert served.interrupt() == 0
