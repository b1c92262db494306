from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.screen import Screen
from tests.pipeline.serving import Served

WIDE = "| " + " | ".join(f"column number {n}" for n in range(9)) + " |\n|" + "---|" * 9 + "\n"
LONG = f"{'x' * 300} https://example.com/{'y' * 200} `{'z' * 200}`\n\n```\n{'code ' * 60}\n```\n\n"

OVERFLOW = "() => document.documentElement.scrollWidth - window.innerWidth"
OUTSIDE = """() => [...document.querySelectorAll("main *, header *")].filter((one) => {
  const box = one.getBoundingClientRect();
  const scrolls = one.closest(".code pre, .table, .unseen, .skip");
  return !scrolls && box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((one) => one.outerHTML.slice(0, 80))"""
CONTRAST = """(selector) => {
  const light = (rgb) => rgb.slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const read = (text) => text.match(/[0-9.]+/g).map(Number);
  const one = document.querySelector(selector);
  let under = one;
  while (read(getComputedStyle(under).backgroundColor)[3] === 0) under = under.parentElement;
  const [a, b] = [getComputedStyle(one).color, getComputedStyle(under).backgroundColor]
    .map(read).map(light).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""
TEXTS = (
    "h1", "h1 span", ".mine .body", ".theirs .body p", ".theirs .body a", ".foot time",
    "button.journey", "#steps li span", "#steps time", "#send", "#hint", ".code pre",
    ".code figcaption span", "#command", "#chat-list a",
)  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_both_be_read(
    browser: Browser, served: Served, scheme: Literal["light", "dark"]
) -> None:
    """In either scheme every text stands out from what is under it as WCAG AA asks (4.5)."""
    with browser.new_context(color_scheme=scheme) as context:
        screen = Screen(context.new_page())
        screen.page.goto(f"{served.url}/playground")
        screen.say("long 2")
        screen.answers("Paragraph 2")
        screen.steps()
        background = screen.ask("() => getComputedStyle(document.body).backgroundColor")
        assert (int(background[4:].split(",")[0]) < 128) == (scheme == "dark")
        pale = {text: ratio for text in TEXTS if (ratio := screen.ask(CONTRAST, text)) < 4.5}
        assert pale == {}


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_nothing_is_wider_than_the_window(browser: Browser, served: Served, width: int) -> None:
    """Long words, addresses, code and wide tables never make the page scroll sideways."""
    with browser.new_context(viewport={"width": width, "height": 720}) as context:
        screen = Screen(context.new_page())
        screen.page.goto(f"{served.url}/playground")
        assert screen.ask(OVERFLOW) <= 0
        assert screen.ask(OUTSIDE) == []
        screen.page.get_by_label("Your message").fill(f"{LONG}{WIDE}| end |")
        screen.page.get_by_role("button", name="Send", exact=True).click()
        screen.answers("end")
        assert screen.ask(OVERFLOW) <= 0
        assert screen.ask(OUTSIDE) == []


def test_on_a_phone_chats_and_journey_are_drawers(browser: Browser, served: Served) -> None:
    """At 360 pixels both lists open over the chat by a button and close by Escape or a tap."""
    phone = browser.new_context(
        viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True
    )
    with phone as context:
        screen = Screen(context.new_page())
        screen.page.goto(f"{served.url}/playground")
        screen.page.get_by_label("Your message").fill("from a phone")
        screen.page.get_by_role("button", name="Send", exact=True).tap()
        screen.answers("You said: from a phone")
        journey, chats = screen.page.locator("#journey"), screen.page.locator("#chats")
        expect(journey).not_to_be_visible()
        screen.page.get_by_role("button", name="Journey", exact=True).tap()
        expect(journey).to_be_visible()
        expect(screen.page.locator("#open-journey")).to_have_attribute("aria-expanded", "true")
        screen.page.keyboard.press("Escape")
        expect(journey).not_to_be_visible()
        screen.page.get_by_role("button", name="Chats", exact=True).tap()
        expect(chats).to_be_visible()
        screen.page.get_by_role("button", name="New chat").tap()
        expect(chats).not_to_be_visible()
        expect(screen.page.locator("#empty")).to_be_visible()
        assert screen.ask(OVERFLOW) <= 0
