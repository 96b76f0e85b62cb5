// The elements of one toast.
import type { InboxNotification } from "../client/types.ts";
import { sanitizeHtml } from "../ui/sanitize.ts";
import { safeUrl } from "../ui/urls.ts";

export function makeToast({ subject, body, severity, redirect }: InboxNotification, dismissLabel: string): HTMLElement {
  const element = document.createElement("div");
  element.className = `toast severity-${severity}`;
  element.part.add("toast", `toast-${severity}`);
  // Urgent ones interrupt what a screen reader says, others wait until it has ended.
  element.setAttribute("role", severity === "high" ? "alert" : "status");
  const url = safeUrl(redirect?.url);
  const main = document.createElement(url ? "a" : "button");
  if (url) {
    main.setAttribute("href", url);
    main.setAttribute("target", redirect?.target ?? "_self");
    main.setAttribute("rel", "noopener");
  } else main.setAttribute("type", "button");
  main.className = "main";
  const text = textOf(body);
  // Without a subject, the body is the message.
  main.append(makeLine("subject", subject || text));
  if (subject && text) main.append(makeLine("body", text));
  const dismiss = document.createElement("button");
  dismiss.type = "button";
  dismiss.className = "dismiss";
  dismiss.setAttribute("aria-label", dismissLabel);
  dismiss.title = dismissLabel;
  dismiss.append(crossIcon());
  element.append(main, dismiss);
  return element;
}

function makeLine(name: "subject" | "body", content: string): HTMLElement {
  const span = document.createElement("span");
  span.className = name;
  span.part.add(`toast-${name}`);
  span.dir = "auto";
  span.textContent = content;
  return span;
}

const textOf = (html: string): string => {
  const content = sanitizeHtml(html);
  for (const block of content.querySelectorAll("br, p, div, li, h1, h2, h3, h4, blockquote, pre")) block.after(" ");
  return (content.textContent ?? "").replace(/\s+/g, " ").trim();
};

function crossIcon(): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const icon = document.createElementNS(space, "svg");
  icon.setAttribute("viewBox", "0 0 20 20");
  icon.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", "m5.5 5.5 9 9M14.5 5.5l-9 9");
  icon.append(path);
  return icon;
}
