// The panel beside the conversation: the steps of one message, and how to ask for more.

import { program } from "./server.js";
import { copy, element } from "./tree.js";

const at = (id) => document.getElementById(id);
const BAD = /^(not_sent|agent_down|gave_up|run run_|run time_limit|post failed|edit failed|post unknown|not_allowed|no_binding|poison)/;

export function clear() {
  at("journey-of").textContent = "Send a message: every step it takes is told here.";
  at("steps").replaceChildren();
  for (const id of ["underway", "names", "explain"]) at(id).hidden = true;
}

export function show(journey, text) {
  at("journey-of").textContent = text ? `of “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”` : "";
  at("steps").replaceChildren(...journey.steps.map(step));
  at("underway").hidden = journey.over;
  at("names").hidden = at("explain").hidden = false;
  at("delivery").textContent = journey.delivery;
  at("command").textContent = `${program} explain ${journey.delivery}`;
  at("copied").textContent = "";
}

at("copy").addEventListener("click", async () => {
  const done = await copy(at("command").textContent);
  at("copied").textContent = done ? "Copied." : "The browser does not allow it; select the line.";
});

function step(one) {
  const item = element("li", { className: BAD.test(one.code) ? "bad" : "" });
  item.dataset.step = one.code;
  const when = element("time", {
    dateTime: new Date(one.at * 1000).toISOString(),
    title: new Date(one.at * 1000).toLocaleString(),
    textContent: spoken(one.after),
  });
  item.append(element("span", { textContent: one.title }), when);
  if (one.note) item.append(element("span", { className: "note", textContent: one.note }));
  return item;
}

function spoken(after) {
  if (after < 10_000) return `+${after} ms`;
  return after < 600_000 ? `+${(after / 1000).toFixed(1)} s` : `+${Math.round(after / 60_000)} min`;
}
