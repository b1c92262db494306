// The conversation: one item a message, changed in place as it grows.

import { element, grow } from "./tree.js";

const list = document.getElementById("messages");
const empty = document.getElementById("empty");
const scroll = document.getElementById("scroll");
const shown = new Map();
let atEnd = true;

// Whoever reads the end stays there, whatever grows, loads or takes room.
scroll.addEventListener("scroll", () => {
  atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
});
const observer = new ResizeObserver(() => atEnd && toEnd());
observer.observe(list);
observer.observe(scroll);

function toEnd() {
  scroll.scrollTop = scroll.scrollHeight;
}

export function clear() {
  shown.clear();
  list.replaceChildren();
  empty.hidden = true;
  list.removeAttribute("aria-busy");
  atEnd = true;
}

// `act.journey(id)` shows a message's journey, `act.again(message)` sends a refused one again,
// `act.say(text)` answers a question.
export function show(messages, act) {
  for (const message of messages) {
    const known = shown.get(message.id);
    if (known && known.revision >= message.revision) continue;
    const item = known?.item ?? added(message, act);
    if (!known && message.who === "you") atEnd = true;
    change(item, message, act);
    shown.set(message.id, { item, revision: message.revision, growing: message.growing });
  }
  list.setAttribute("aria-busy", String([...shown.values()].some((one) => one.growing)));
  if (atEnd) toEnd();
}

export function showEmpty() {
  empty.hidden = shown.size > 0;
}

export function mark(id) {
  for (const button of list.querySelectorAll("button.journey")) {
    button.setAttribute("aria-pressed", String(button.dataset.message === String(id)));
  }
}

function added(message, act) {
  const mine = message.who === "you";
  const item = element("li", { className: mine ? "message mine" : "message theirs" });
  item.dataset.message = message.id;
  const who = element("span", { className: "unseen", textContent: mine ? "You said:" : "The agent said:" });
  const time = element("time", {
    dateTime: new Date(message.at * 1000).toISOString(),
    textContent: new Date(message.at * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }),
  });
  item.append(who, element("div", { className: "body" }), element("div", { className: "foot" }, time));
  if (mine) item.querySelector(".foot").append(journeyButton(message, act));
  list.append(item);
  empty.hidden = true;
  return item;
}

function change(item, message, act) {
  const body = item.querySelector(".body");
  if (message.who === "you") {
    if (body.textContent !== message.text) body.textContent = message.text;
    body.hidden = !message.text;
    files(item, message);
    state(item, message, act);
    return;
  }
  for (const tone of ["question", "notice"]) item.classList.toggle(tone, message.tone === tone);
  item.classList.toggle("growing", message.growing);
  grow(body, message.tree);
  offer(item, message, act);
}

// Buttons for the answers a question offers; the style sheet shows them while it comes last.
function offer(item, message, act) {
  item.querySelector(".options")?.remove();
  if (!message.options.length) return;
  const buttons = message.options.map((option) => {
    const button = element("button", { type: "button", className: "quiet", textContent: option });
    button.addEventListener("click", () => act.say(option));
    return button;
  });
  const group = element("div", { className: "options", role: "group", ariaLabel: "Answers" }, ...buttons);
  item.querySelector(".foot").before(group);
}

function journeyButton(message, act) {
  const button = element("button", { type: "button", className: "journey", textContent: "Journey" });
  button.dataset.message = message.id;
  button.setAttribute("aria-label", "Show the journey of this message");
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => act.journey(message.id));
  return button;
}

function state(item, message, act) {
  const foot = item.querySelector(".foot");
  for (const old of foot.querySelectorAll(".why, .again")) old.remove();
  if (message.state === "sending") foot.prepend(element("span", { className: "why", textContent: "Sending…" }));
  if (message.state !== "refused") return;
  const again = element("button", { type: "button", className: "again", textContent: "Send again" });
  again.addEventListener("click", () => act.again(message));
  foot.prepend(element("span", { className: "why", textContent: `Not taken. ${message.why}` }), again);
}

function files(item, message) {
  if (!message.files.length || item.querySelector(".files")) return;
  const rows = message.files.map((file) => {
    const path = `/playground/files/${encodeURIComponent(file.id)}`;
    const inside = /^image\/(png|jpeg|gif|webp)$/.test(file.mime)
      ? element("img", { src: path, alt: file.name })
      : file.name;
    return element("a", { href: path, target: "_blank", rel: "noopener" }, inside);
  });
  item.querySelector(".foot").before(element("div", { className: "files" }, ...rows));
}
