// For bundlers and `<script type="module">`: the client without a user interface, and the custom element on request.
import { addressOfScript } from "./address.ts";

export { createInbox, type Inbox } from "./client/create-inbox.ts";
export * from "./client/types.ts";
export type { TidingsInboxElement } from "./element-class.ts";
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
  const defaultUrl = import.meta.url.startsWith("http") ? addressOfScript(import.meta.url) : location.origin;
  customElements.define("tidings-inbox", createElementClass({ defaultUrl, loadPanel: () => import("./ui/draw.tsx") }));
}
