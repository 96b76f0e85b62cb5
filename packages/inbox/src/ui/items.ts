// Rows from `<template slot="item">`, for pages without a function `renderItem`.
import type { ItemRenderer } from "../slots.ts";
import { sanitizeHtml } from "./sanitize.ts";
import { exactTime, relativeTime } from "./time.ts";

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
