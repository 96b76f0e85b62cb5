// The bell with its count, and the live region that announces new messages. Drawn without a library, so that a page
// loads only this and the client until the panel is opened.
import type { Counts } from "./client/types.ts";
import { badgeText, type bellLabels } from "./ui/bell-labels.ts";

const bellPath =
  "M10 3a4.5 4.5 0 0 0-4.5 4.5c0 4-1.75 5.25-1.75 5.25h12.5S14.5 11.5 14.5 7.5A4.5 4.5 0 0 0 10 3ZM8.4 15.75a1.75 1.75 0 0 0 3.2 0";

/** After this time, the next message counts as the first one again. */
const forgetMs = 5_000;

export type BellLabels = typeof bellLabels;

/** `onNear`: the panel is likely to be opened soon. */
export function createBell(onNear: () => void, onClick: (event: Event) => void) {
  const bell = document.createElement("button");
  bell.type = "button";
  bell.part.add("bell");
  // Created one by one: a page with Trusted Types rejects markup given as text.
  const slot = document.createElement("slot");
  slot.name = "bell";
  const [svg, path] = ["svg", "path"].map((name) => document.createElementNS("http://www.w3.org/2000/svg", name));
  const badge = document.createElement("span");
  const set = (element: Element, attributes: Record<string, string>) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  };
  set(svg!, { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" });
  set(path!, { d: bellPath });
  set(badge, { class: "badge", part: "badge", "aria-hidden": "true", hidden: "" });
  svg!.append(path!);
  slot.append(svg!);
  bell.append(slot, badge);
  set(bell, { "aria-haspopup": "dialog", "aria-expanded": "false", popovertarget: "panel" });
  for (const name of ["pointerenter", "focus", "touchstart"]) bell.addEventListener(name, onNear, { passive: true });
  bell.addEventListener("click", onClick);
  return {
    element: bell,
    update(counts: Counts | null, labels: BellLabels) {
      const total = counts?.total ?? 0;
      const severity = (["high", "medium", "low"] as const).find((name) => (counts?.severity[name] ?? 0) > 0) ?? "none";
      bell.className = `bell severity-${severity}`;
      bell.setAttribute("aria-label", labels.bell(total));
      badge.hidden = total === 0;
      badge.textContent = badgeText(total);
    },
  };
}

/** Announces new messages to screen readers. */
export function createAnnouncer() {
  const element = document.createElement("span");
  element.className = "hidden";
  element.setAttribute("role", "status");
  let count = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    element,
    announce(labels: BellLabels) {
      element.textContent = labels.newMessages(++count);
      clearTimeout(timer);
      timer = setTimeout(() => {
        count = 0;
        element.textContent = "";
      }, forgetMs);
    },
  };
}
