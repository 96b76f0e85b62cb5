// For bundlers and `<script type="module">`: the client without a user interface, and the custom element on request.

export { type AttentionChange, requestAttention } from "./client/attention.ts";
export { createInbox, type Inbox } from "./client/create-inbox.ts";
export * from "./client/types.ts";
export { defineInbox, defineToast } from "./define-on-request.ts";
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
