// Talking to the process that serves this page.

const meta = document.querySelector('meta[name="threadline"]').dataset;
let token = meta.token;

export const program = meta.program;
export const demo = meta.demo === "yes";

export class Refused extends Error {}

// Every start of Threadline has another token: a page that stayed open reads it anew.
export async function renewToken() {
  const text = await (await fetch("/playground")).text();
  token = /data-token="([A-Za-z0-9_-]+)"/.exec(text)?.[1] ?? token;
}

async function write(path, headers, body) {
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers: { ...headers, "x-threadline-token": token }, body });
  } catch {
    throw new Refused("Threadline does not answer. Is it still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(said.error ?? `Threadline answered ${answer.status}.`);
  return said;
}

export function send(chat, message) {
  const path = `/playground/chats/${encodeURIComponent(chat)}/messages`;
  return write(path, { "content-type": "application/json" }, JSON.stringify(message));
}

export async function upload(file) {
  const path = `/playground/files?name=${encodeURIComponent(file.name)}`;
  const said = await write(path, { "content-type": file.type || "application/octet-stream" }, file);
  return said.id;
}

export async function journeyOf(message) {
  const answer = await fetch(`/playground/journeys/${message}`);
  return answer.ok ? answer.json() : null;
}

export async function refusalOf(path) {
  try {
    const answer = await fetch(path, { headers: { accept: "application/json" } });
    return answer.ok ? "" : ((await answer.json()).error ?? "");
  } catch {
    return "";
  }
}

// A name for a message, so that sending it twice is sending it once.
export function freshName() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
