// HTML of a notification for the page: a copy with the elements and attributes of a list, nothing else. The copy is built as nodes
// and never becomes text again, so there is no second parse that could read it in another way.
import { isSafeUrl } from "./urls.ts";

const allowed = new Set(
  "a b strong i em u s del ins code pre br p ul ol li span div blockquote small sub sup mark h1 h2 h3 h4".split(" "),
);
/** Left out with everything in them; of other unknown elements the content stays. */
const dropped = new Set(
  "script style template iframe frame object embed noscript svg math textarea select title head link meta base form input".split(
    " ",
  ),
);
const attributes = new Set(["title", "dir", "lang"]);
const maxDepth = 40;
const maxNodes = 2_000;

export function sanitizeHtml(html: string): DocumentFragment {
  // A document of DOMParser runs no script and loads nothing.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const fragment = document.createDocumentFragment();
  let left = maxNodes;
  const copy = (from: Node, to: Node, depth: number) => {
    for (const node of from.childNodes) {
      if (left-- <= 0) return;
      if (node.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(node.nodeValue ?? ""));
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      const name = (node as Element).localName;
      if (dropped.has(name) || depth > maxDepth) continue;
      const target = allowed.has(name) ? to.appendChild(copyElement(node as Element, name)) : to;
      copy(node, target, depth + 1);
    }
  };
  copy(parsed.body, fragment, 0);
  return fragment;
}

function copyElement(from: Element, name: string): Element {
  const element = document.createElement(name);
  for (const { name: attribute, value } of from.attributes) {
    if (attributes.has(attribute)) element.setAttribute(attribute, value);
  }
  const href = from.getAttribute("href");
  if (name === "a" && href && isSafeUrl(href)) {
    element.setAttribute("href", href);
    element.setAttribute("target", "_blank");
    element.setAttribute("rel", "noopener noreferrer");
  }
  return element;
}
