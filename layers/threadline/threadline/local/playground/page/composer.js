// The field at the bottom: text, files, commands.

import { Refused, freshName, send, upload } from "./server.js";
import { element } from "./tree.js";

const at = (id) => document.getElementById(id);
const text = at("text");
const MOST_FILES = 4;
const MOST_BYTES = 5_000_000;
const COMMANDS = [
  ["/stop", "stop the answer"],
  ["/new", "begin anew, without what was said"],
  ["/status", "what is going on"],
  ["/help", "all commands"],
];

let chat = "";
let name = freshName();
let files = [];

export function inChat(other) {
  if (chat !== other) complain("");
  chat = other;
}

export function focus() {
  text.focus();
}

export async function say(words, { key = freshName(), attached = [] } = {}) {
  const said = await send(chat, { key, text: words, files: attached });
  if (said.why) complain(said.why);
  return said;
}

function complain(words) {
  at("trouble").textContent = words;
  at("trouble").hidden = !words;
}

async function submit() {
  const words = text.value.trim();
  if ((!words && !files.length) || at("send").disabled) return;
  at("send").disabled = true;
  complain("");
  try {
    const attached = [];
    for (const file of files) attached.push(await upload(file));
    await say(words, { key: name, attached });
    text.value = "";
    files = [];
    name = freshName();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(error.message);
  } finally {
    at("send").disabled = false;
    changed();
    text.focus();
  }
}

// Says something that was not typed: an example, a command, Stop.
export async function sayAtOnce(words) {
  complain("");
  try {
    await say(words);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(error.message);
  }
  text.focus();
}

export async function sayAgain(message) {
  complain("");
  try {
    await say(message.text, { key: message.key, attached: message.files.map((file) => file.id) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    complain(error.message);
  }
}

function changed() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight + 2}px`;
  const typed = text.value;
  const fitting = typed.startsWith("/") ? COMMANDS.filter(([word]) => word.startsWith(typed.trim())) : [];
  at("commands").hidden = !fitting.length;
  at("commands").replaceChildren(...fitting.map(commandButton));
  at("attached").hidden = !files.length;
  at("attached").replaceChildren(...files.map(fileItem));
}

function commandButton([word, meaning]) {
  const button = element("button", { type: "button", className: "quiet" }, word, element("span", { textContent: meaning }));
  button.addEventListener("click", () => {
    text.value = "";
    changed();
    sayAtOnce(word);
  });
  return button;
}

function fileItem(file) {
  const remove = element("button", { type: "button", className: "quiet", textContent: "×" });
  remove.setAttribute("aria-label", `Remove ${file.name}`);
  remove.addEventListener("click", () => {
    files = files.filter((one) => one !== file);
    changed();
    text.focus();
  });
  return element("li", {}, file.name, remove);
}

function attach(chosen) {
  for (const file of chosen) {
    if (file.size > MOST_BYTES) complain(`${file.name} is larger than 5 MB.`);
    else if (files.length >= MOST_FILES) complain("A message takes at most four files.");
    else files = [...files, file];
  }
  changed();
}

text.addEventListener("input", () => {
  name = freshName();
  changed();
});
text.addEventListener("keydown", (event) => {
  const coarse = matchMedia("(pointer: coarse)").matches;
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing && !coarse) {
    event.preventDefault();
    submit();
  }
});
text.addEventListener("paste", (event) => {
  if (event.clipboardData?.files.length) attach(event.clipboardData.files);
});
at("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
at("attach").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", () => {
  attach(at("file").files);
  at("file").value = "";
  text.focus();
});
at("stop").addEventListener("click", () => sayAtOnce("/stop"));
