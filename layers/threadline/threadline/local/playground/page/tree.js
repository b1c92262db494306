// Builds elements from a tree of Markdown. Text only ever becomes text.

const TAGS = new Set([
  "p", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "ul", "ol", "li",
  "blockquote", "a", "br", "hr", "table", "thead", "tbody", "tr", "th", "td",
]);
const LEADS = /^(https?:\/\/|mailto:)/i;

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function build(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, ...children] = node;
  if (!TAGS.has(tag)) return element("span", {}, ...children.map(build));
  if (tag === "pre") return code(attributes.language ?? "", children.join(""));
  const made = element(tag, {}, ...children.map(build));
  if (tag === "a" && LEADS.test(attributes.href)) {
    made.href = attributes.href;
    made.target = "_blank";
    made.rel = "noreferrer noopener";
  }
  if (tag === "ol" && attributes.start) made.start = Number(attributes.start);
  if (attributes.align) made.className = attributes.align;
  return tag === "table" ? element("div", { className: "table", tabIndex: 0 }, made) : made;
}

// Replaces only what differs, so that what was there keeps its place and selection.
export function grow(body, tree) {
  const before = body.tree ?? [];
  const after = tree.map((node) => JSON.stringify(node));
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  while (body.childNodes.length > same) body.lastChild.remove();
  body.append(...tree.slice(same).map(build));
  body.tree = after;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function code(language, text) {
  const button = element("button", { type: "button", className: "copy-code", textContent: "Copy" });
  button.addEventListener("click", async () => {
    button.textContent = (await copy(text)) ? "Copied" : "Not allowed to copy";
  });
  const caption = element("figcaption", {}, element("span", { textContent: language || "code" }), button);
  const block = element("pre", { tabIndex: 0 }, text);
  return element("figure", { className: "code" }, caption, block);
}
