// For bundlers and `<script type="module">`: the client without a user interface, and the custom element on request.
export { createInbox, type Inbox } from "./client/create-inbox.ts";
export * from "./client/types.ts";
export type { TidingsInboxElement } from "./element-class.ts";
export type { ItemRenderer } from "./ui/items.ts";
export type { Labels } from "./ui/labels.ts";
export type { InboxTab } from "./ui/ui.ts";

/**
 * Defines `<tidings-inbox>`. The user interface is loaded by this call: a page that uses `createInbox` alone does not load it.
 * An element without `url` talks to the origin of this module.
 */
export async function defineInbox(): Promise<void> {
  const { createElementClass } = await import("./element-class.ts");
  const { protocol, origin } = new URL(import.meta.url);
  if (customElements.get("tidings-inbox")) return;
  const defaultUrl = protocol.startsWith("http") ? origin : location.origin;
  customElements.define("tidings-inbox", createElementClass({ defaultUrl, loadPanel: () => import("./ui/draw.tsx") }));
}
