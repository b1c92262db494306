from playwright.sync_api import expect

from tests.browser.screen import Screen


def test_everything_can_be_done_by_keyboard(screen: Screen) -> None:
    """Without a mouse: the field has the focus, Enter sends, Tab leads to a journey and back."""
    page = screen.page
    expect(page.get_by_label("Your message")).to_be_focused()
    page.keyboard.type("typed blind")
    page.keyboard.press("Enter")
    screen.answers("You said: typed blind")
    expect(page.get_by_label("Your message")).to_be_focused()
    page.keyboard.type("another")
    page.keyboard.press("Enter")
    screen.answers("You said: another")
    page.locator("#messages button.journey").first.focus()
    page.keyboard.press("Enter")
    screen.wait("#journey-of", "typed blind")
    page.keyboard.press("Escape")
    expect(page.get_by_label("Your message")).to_be_focused()


def test_a_line_break_can_be_typed(screen: Screen) -> None:
    """Shift and Enter begin a new line, which the message keeps."""
    page = screen.page
    page.keyboard.type("one")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("two")
    expect(page.locator(".mine")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.locator(".mine .body")).to_have_text("one\ntwo")


def test_tab_reaches_every_control_and_shows_where_it_is(screen: Screen) -> None:
    """Going round with Tab meets each visible control, each with an outline while it has focus."""
    page = screen.page
    screen.say("long 1")
    screen.answers("Paragraph 1")
    wanted = set(page.evaluate(CONTROLS))
    assert {"Your message", "Attach a file", "Send", "New chat", "Copy"} <= wanted
    met: set[str] = set()
    page.locator("body").press("Tab")
    for _ in range(40):
        name, outlined = page.evaluate(FOCUSED)
        assert outlined or not name, name
        met.add(name)
        page.keyboard.press("Tab")
    assert wanted <= met


def test_the_first_stop_leads_past_the_lists(screen: Screen) -> None:
    """The first control of the page skips to the message field, and is seen while it has focus."""
    page = screen.page
    assert page.evaluate("document.querySelector('a, button, textarea').id") == "skip"
    skip = page.get_by_role("link", name="Skip to the message field")
    expect(skip).not_to_be_in_viewport()
    skip.focus()
    expect(skip).to_be_in_viewport()
    address = page.url
    page.keyboard.press("Enter")
    page.keyboard.type("skipped")
    expect(page.get_by_label("Your message")).to_have_value("skipped")
    assert page.url == address


def test_a_screen_reader_is_told(screen: Screen) -> None:
    """Landmarks, names and live regions are there, and a growing answer is marked as busy."""
    page = screen.page
    assert page.evaluate(NAMELESS) == []
    log = page.get_by_role("log", name="Conversation")
    expect(log).to_have_attribute("aria-live", "polite")
    for role, name in (("navigation", "Chats"), ("complementary", "Journey")):
        expect(page.get_by_role(role, name=name)).to_be_visible()  # type: ignore[arg-type]
    expect(page.get_by_role("main")).to_be_visible()
    screen.say("long 6")
    screen.steps("first_text")
    expect(log).to_have_attribute("aria-busy", "true")
    screen.answers("Paragraph 6")
    expect(log).to_have_attribute("aria-busy", "false")


NAME = "(one) => one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText"
VISIBLE = "(one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled"
CONTROLS = f"""() => [...document.querySelectorAll("button, textarea, a[href]")]
  .filter({VISIBLE}).filter((one) => !one.closest(".skip")).map({NAME})"""
FOCUSED = f"""() => {{
  const one = document.activeElement;
  if (one === document.body) return ["", true];
  const style = getComputedStyle(one);
  return [({NAME})(one) ?? "", style.outlineStyle !== "none" && style.outlineWidth !== "0px"];
}}"""
NAMELESS = f"""() => [...document.querySelectorAll("button, textarea, a[href], img, nav, aside")]
  .filter({VISIBLE}).filter((one) => !({NAME})(one) && !one.hasAttribute("alt")
    && !one.getAttribute("aria-labelledby")).map((one) => one.outerHTML)"""
