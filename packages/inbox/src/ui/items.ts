// The page's own content of an item: made by the function `renderItem`, or from `<template slot="item">`. It is put into the
// element itself, not into its shadow tree, so the style sheets of the page apply to it.
import type { InboxNotification } from "../client/types.ts";
import { sanitizeHtml } from "./sanitize.ts";
import { exactTime, relativeTime } from "./time.ts";

/** Makes the content of an item. Null: the content of the widget. */
export type ItemRenderer = (notification: InboxNotification) => Node | string | null;

/** Fills the elements with `data-field="subject"`, `body` or `time` of the template. */
export function templateRenderer(template: HTMLTemplateElement, locale: string): ItemRenderer {
  return (notification) => {
    const content = template.content.cloneNode(true) as DocumentFragment;
    for (const element of content.querySelectorAll<HTMLElement>("[data-field]")) {
      const { field } = element.dataset;
      if (field === "subject") element.textContent = notification.subject ?? "";
      if (field === "body") element.replaceChildren(sanitizeHtml(notification.body));
      if (field !== "time") continue;
      element.textContent = relativeTime(notification.createdAt, Date.now(), locale);
      element.title = exactTime(notification.createdAt, locale);
    }
    return content;
  };
}

/** Keeps one slotted child per notification, made again when the notification has changed. */
export function createItemMounter(host: HTMLElement, render: ItemRenderer) {
  const mounted = new Map<string, { version: string; element: HTMLElement }>();
  return (notification: InboxNotification): boolean => {
    const version = JSON.stringify(notification);
    const known = mounted.get(notification.id);
    if (known?.version === version) return true;
    known?.element.remove();
    mounted.delete(notification.id);
    const content = render(notification);
    if (content === null) return false;
    const element = document.createElement("div");
    element.slot = `item-${notification.id}`;
    element.append(content);
    host.append(element);
    mounted.set(notification.id, { version, element });
    return true;
  };
}
