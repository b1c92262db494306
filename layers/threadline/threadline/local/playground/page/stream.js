// Listens to what happens in one chat, and comes back by itself when the line was lost.

import { refusalOf, renewToken } from "./server.js";

const AGAIN_AFTER = 3000;

export class Stream {
  // `told(name, value)` gets every event, `line(state, words)` hears open, lost and refused.
  constructor(chat, told, line) {
    this.chat = chat;
    this.told = told;
    this.line = line;
    this.known = 0;
    this.lost = false;
    this.open();
  }

  open() {
    const path = `/playground/events?chat=${encodeURIComponent(this.chat)}&after=${this.known}`;
    this.source = new EventSource(path);
    this.source.onopen = () => this.opened();
    this.source.onerror = () => this.failed();
    for (const name of ["messages", "chats", "journey"]) {
      this.source.addEventListener(name, (event) => {
        if (event.lastEventId) this.known = Number(event.lastEventId);
        this.told(name, JSON.parse(event.data));
      });
    }
  }

  async opened() {
    if (this.lost) await renewToken();
    this.lost = false;
    this.line("open", "");
  }

  async failed() {
    this.lost = true;
    this.line("lost", "Reconnecting…");
    if (this.source.readyState !== EventSource.CLOSED) return;
    const words = await refusalOf("/playground/page/icon.svg");
    if (words) this.line("lost", words);
    this.timer = setTimeout(() => this.open(), AGAIN_AFTER);
  }

  // A page nobody looks at gives its connection back: a browser has only six for all its pages.
  pause() {
    this.close();
    this.paused = true;
    this.lost = true;
  }

  resume() {
    if (this.paused) this.open();
    this.paused = false;
  }

  close() {
    clearTimeout(this.timer);
    this.source.onerror = null;
    this.source.close();
  }
}
