// HTML of a notification for the page: a copy with the elements and attributes of a list, nothing else. The copy is
// built as nodes and never becomes text again, so there is no second parse that could read it in another way.
import { parseHtml } from "./trusted.ts";
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

/**
 * Images are left out unless their host is one of `imageHosts`: an image would show its host who reads a message, and
 * when.
 */
export function sanitizeHtml(html: string, imageHosts: readonly string[] = []): DocumentFragment {
  const parsed = parseHtml(html);
  const fragment = document.createDocumentFragment();
  let left = maxNodes;
  const copy = (from: Node, to: Node, depth: number) => {
    for (const node of from.childNodes) {
      if (left-- <= 0) return;
      if (node.nodeType === Node.TEXT_NODE) to.appendChild(document.createTextNode(node.nodeValue ?? ""));
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      const name = (node as Element).localName;
      if (dropped.has(name) || depth > maxDepth) continue;
      if (name === "img") {
        const image = copyImage(node as Element, imageHosts);
        if (image) to.appendChild(image);
        continue;
      }
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

/** Hosts of the attribute `image-hosts`, such as `cdn.example.com *.example.org`. */
export const readImageHosts = (host: Element | null): string[] =>
  (host?.getAttribute("image-hosts") ?? "")
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);

/** The element whose shadow tree a node is in. */
export const hostOf = (node: Node): Element | null => (node.getRootNode() as Partial<ShadowRoot>).host ?? null;

const isListed = (host: string, hosts: readonly string[]): boolean =>
  hosts.some((one) => (one.startsWith("*.") ? host.endsWith(one.slice(1)) : host === one));

/** Null unless it comes by https from a host of the list. */
function copyImage(from: Element, hosts: readonly string[]): Element | null {
  if (hosts.length === 0) return null;
  let url: URL;
  try {
    url = new URL(from.getAttribute("src") ?? "");
  } catch {
    return null;
  }
  if (url.protocol !== "https:" || !isListed(url.host, hosts)) return null;
  const image = document.createElement("img");
  // Before `src`: they decide how it is loaded.
  image.setAttribute("loading", "lazy");
  image.setAttribute("referrerpolicy", "no-referrer");
  image.setAttribute("alt", from.getAttribute("alt") ?? "");
  for (const name of ["width", "height"]) {
    const value = from.getAttribute(name);
    if (value && /^\d{1,4}$/.test(value)) image.setAttribute(name, value);
  }
  image.setAttribute("src", url.href);
  return image;
}
