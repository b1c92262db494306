// GitHub's own webhook library as a judge: `sign` its example payloads, or `verify` ours.
//
// node octokit.mjs sign <node_modules>               → [{name, body, signature}] on stdout
// node octokit.mjs verify <node_modules> < deliveries → [{accepted, name, id}] on stdout

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const [task, modules, secret] = process.argv.slice(2);
const library = join(modules, "@octokit", "webhooks", "dist-bundle", "index.js");
const { Webhooks } = await import(pathToFileURL(library).href);
const webhooks = new Webhooks({ secret, log: { debug() {}, info() {}, warn() {}, error() {} } });

function* examples() {
  const root = join(modules, "@octokit", "webhooks-examples");
  for (const folder of readdirSync(root, { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const events = JSON.parse(readFileSync(join(root, folder.name, "index.json"), "utf8"));
    for (const { name, examples } of events) {
      for (const payload of examples) yield { name, body: JSON.stringify(payload) };
    }
  }
}

async function signed() {
  const all = [];
  for (const { name, body } of examples()) {
    all.push({ name, body, signature: await webhooks.sign(body) });
  }
  return all;
}

async function judged() {
  const all = [];
  let received;
  webhooks.onAny(({ id, name }) => {
    received = { id, name };
  });
  for (const { id, name, body, signature } of JSON.parse(await text(process.stdin))) {
    received = {};
    const accepted = await webhooks
      .verifyAndReceive({ id, name, payload: body, signature })
      .then(() => true, () => false);
    all.push({ accepted, ...received });
  }
  return all;
}

process.stdout.write(JSON.stringify(await (task === "sign" ? signed() : judged())));
