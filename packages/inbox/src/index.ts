// For bundlers and `<script type="module">`: the client without a user interface, and the custom element on request.

export { createInbox, type Inbox } from "./client/create-inbox.ts";
export * from "./client/types.ts";
export type {
  ActionEvent,
  InboxTab,
  NavigateEvent,
  TidingsInboxElement,
  TidingsInboxEvents,
} from "./element-types.ts";
export type {
  InboxHeader,
  InboxView,
  ItemRenderer,
  SlotContent,
  SlotMount,
  SlotRenderer,
  Slots,
} from "./slots.ts";
export type { TidingsToastElement, ToastLabels } from "./toast/toast-element.ts";
export type { Labels } from "./ui/labels.ts";

/**
 * Defines `<tidings-inbox>`. This call loads the user interface: a page that only uses `createInbox` does not load it.
 * An element without `url` talks to the service that this module came from.
 */
export async function defineInbox(): Promise<void> {
  (await import("./define-element.ts")).defineElement();
}

/**
 * Defines `<tidings-toast>`, which shows new messages from the page's `<tidings-inbox>` elements or from its own inbox.
 */
export async function defineToast(): Promise<void> {
  await import("./toast/toast.ts");
}
