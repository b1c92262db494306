// Slack by an emulator that this project did not write: serves its Web API, posts signed events.
//
// node emulate.mjs <node_modules> <port> <address for events> <signing secret>
//
// The emulator has no setting for where events go, so its Slack is told as it starts.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, port, url, secret] = process.argv.slice(2);
const dist = join(modules, "emulate", "dist");
const load = (file) => import(pathToFileURL(join(dist, file)).href);

for (const file of readdirSync(dist).filter((name) => /^dist-.*\.js$/.test(name))) {
  const { slackPlugin } = await load(file);
  if (!slackPlugin) continue;
  const register = slackPlugin.register;
  slackPlugin.register = (app, store, webhooks, ...rest) => {
    register(app, store, webhooks, ...rest);
    webhooks.register({ owner: "slack", events: ["*"], active: true, url });
  };
}

const bot = { app_id: "A0APP0001", bot_id: "B0BOT0001", bot_user_id: "U0BOT0001" };
const slack = {
  signing_secret: secret,
  users: [{ name: "ada" }],
  oauth_apps: [
    {
      ...bot,
      client_id: "1.2",
      client_secret: "of-nobody",
      name: "threadline",
      bot_name: "threadline",
      redirect_uris: [],
      scopes: ["chat:write"],
    },
  ],
  tokens: [
    { ...bot, token: "xoxb-bot-of-nobody", type: "bot", user_id: "U0BOT0001" },
    { token: "xoxp-ada-of-nobody", type: "user", user: "ada" },
  ],
};
const { createEmulator } = await load("api.js");
await createEmulator({ service: "slack", port: Number(port), seed: { slack } });
console.log("ready");
