"""What a person does and sees on the playground page."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

PATIENCE = 60_000.0

WATCH = """
() => {
  window.seen = [];
  new MutationObserver(() => {
    const bodies = document.querySelectorAll(".theirs .body");
    const text = bodies.length ? bodies[bodies.length - 1].innerText : "";
    if (text && window.seen.at(-1) !== text) window.seen.push(text);
  }).observe(document.getElementById("messages"), { subtree: true, childList: true });
}
"""
"""Writes down every text that the latest answer has shown."""


@dataclass(frozen=True, slots=True)
class Screen:
    """The open page."""

    page: Page

    def say(self, text: str) -> None:
        """Type a message and send it."""
        self.page.get_by_label("Your message").fill(text)
        self.page.keyboard.press("Enter")

    def answers(self, text: str) -> Locator:
        """Wait for an answer that holds the text and has stopped growing."""
        done = self.page.locator(".message.theirs:not(.growing)").filter(has_text=text).last
        expect(done).to_be_visible(timeout=PATIENCE)
        return done

    def watch(self) -> None:
        """Write down from now on how answers grow."""
        self.page.evaluate(WATCH)

    def seen(self) -> list[str]:
        """Give the texts the latest answer has shown since `watch`."""
        return list(self.page.evaluate("window.seen"))

    def steps(self, last: str = "run_ended") -> list[str]:
        """Wait until the journey has this step and give the codes of all of them."""
        expect(self.page.locator(f"#steps li[data-step='{last}']")).to_be_attached(timeout=PATIENCE)
        steps = self.page.locator("#steps li").all()
        return [step.get_attribute("data-step") or "" for step in steps]

    def wait(self, selector: str, text: str) -> None:
        """Wait until something says a text."""
        expect(self.page.locator(selector)).to_contain_text(text, timeout=PATIENCE)

    def ask(self, script: str, argument: object = None) -> Any:
        """Ask the page something only a script can tell."""
        return self.page.evaluate(script, argument)
