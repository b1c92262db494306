// Puts the parts of the page together. Which chat is open stands in the address.

import * as composer from "./composer.js";
import * as journey from "./journey.js";
import * as messages from "./messages.js";
import { demo, freshName, journeyOf } from "./server.js";
import { Stream } from "./stream.js";
import { element } from "./tree.js";

const at = (id) => document.getElementById(id);
const NAME = /^[A-Za-z0-9_-]{1,40}$/;
const EXAMPLES = [
  ["hello", "is repeated word by word: watch it grow"],
  ["ask", "asks you something back"],
  ["long 3", "answers with paragraphs and code"],
  ["sleep 5", "takes its time; say /stop meanwhile"],
  ["boom", "fails, as agents do"],
];

let chat = "";
let stream = null;
let chats = [];
let chosen = 0; // the message whose journey is asked for; 0 is the latest one
const texts = new Map();

function open(name) {
  stream?.close();
  chat = name;
  chosen = 0;
  texts.clear();
  messages.clear();
  journey.clear();
  at("stop").hidden = true;
  composer.inChat(chat);
  stream = new Stream(chat, told, line);
  listChats();
  drawer(null);
}

function told(name, value) {
  if (name === "messages") {
    for (const message of value) if (message.who === "you") texts.set(message.id, message.text);
    messages.show(value, { journey: choose, again: composer.sayAgain, say: composer.sayAtOnce });
  } else if (name === "chats") {
    chats = value;
    listChats();
    messages.showEmpty();
  } else if (name === "journey") {
    at("stop").hidden = value.over;
    if (!texts.has(chosen) || chosen === value.message) showJourney(value);
    else journeyOf(chosen).then((one) => one && chosen === one.message && showJourney(one));
  }
}

function showJourney(value) {
  journey.show(value, texts.get(value.message) ?? "");
  messages.mark(value.message);
}

async function choose(message) {
  chosen = message === Math.max(...texts.keys()) ? 0 : message;
  const value = await journeyOf(message);
  if (value) showJourney(value);
  if (matchMedia("(max-width: 62rem)").matches) drawer("journey");
}

function line(state, words) {
  at("connection").textContent = words;
  at("connection").className = state;
}

function listChats() {
  at("chat-list").replaceChildren(
    ...chats.map((one) => {
      const link = element("a", { href: `#${one.chat}`, textContent: one.title || "(without text)" });
      if (one.chat === chat) link.setAttribute("aria-current", "page");
      return element("li", {}, link);
    }),
  );
}

function drawer(name) {
  for (const one of ["chats", "journey"]) {
    at(one).classList.toggle("open", one === name);
    at(`open-${one}`).setAttribute("aria-expanded", String(one === name));
  }
}

function follow() {
  const name = location.hash.slice(1);
  if (NAME.test(name)) open(name);
  else location.replace(`#${localStorage.getItem("chat") ?? freshName()}`);
}

for (const one of ["chats", "journey"]) {
  at(`open-${one}`).addEventListener("click", () => {
    drawer(at(one).classList.contains("open") ? null : one);
    if (at(one).classList.contains("open")) at(one).querySelector("a, button:not([hidden])")?.focus();
  });
}
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  drawer(null);
  composer.focus();
});
at("scroll").addEventListener("click", () => drawer(null));
at("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address names the chat
  composer.focus();
});
at("new-chat").addEventListener("click", () => {
  location.hash = freshName();
  composer.focus();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) stream.pause();
  else stream.resume();
});
addEventListener("hashchange", () => {
  follow();
  localStorage.setItem("chat", chat);
});

at("examples").append(
  ...(demo ? EXAMPLES : [["hello", "or anything else"]]).map(([words, meaning]) => {
    const button = element("button", { type: "button" }, element("code", { textContent: words }), element("span", { textContent: meaning }));
    button.addEventListener("click", () => composer.sayAtOnce(words));
    return button;
  }),
);
follow();
if (!matchMedia("(pointer: coarse)").matches) composer.focus();
