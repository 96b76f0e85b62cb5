// For bundlers and `<script type="module">`: the client without a user interface, and the custom element on request.
import { addressOfScript } from "./address.ts";

export { createInbox, type Inbox } from "./client/create-inbox.ts";
export * from "./client/types.ts";
export type { TidingsInboxElement } from "./element-class.ts";
export type { TidingsToastElement, ToastLabels } from "./toast/toast-element.ts";
export type { ItemRenderer } from "./ui/items.ts";
export type { Labels } from "./ui/labels.ts";
export type { InboxTab } from "./ui/ui.ts";

/**
 * Defines `<tidings-inbox>`. The user interface is loaded by this call: a page that uses `createInbox` alone does not load it.
 * An element without `url` talks to the service that this module came from.
 */
export async function defineInbox(): Promise<void> {
  const { createElementClass } = await import("./element-class.ts");
  if (customElements.get("tidings-inbox")) return;
  const options = {
    defaultUrl: import.meta.url.startsWith("http") ? addressOfScript(import.meta.url) : location.origin,
    loadPanel: () => import("./ui/panel.ts"),
    loadExtras: () => import("./extras/extras.ts"),
  };
  customElements.define("tidings-inbox", createElementClass(options));
}

/** Defines `<tidings-toast>`, which shows new messages of the `<tidings-inbox>` elements of the page, or of an inbox of its own. */
export async function defineToast(): Promise<void> {
  await import("./toast/toast.ts");
}
