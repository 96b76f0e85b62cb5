// The page's own content in places of the widget: a row, its parts, the bell, the header, the empty list. It is put
// into the element itself, not into its shadow tree, so the style sheets of the page apply to it.
import type { Counts, InboxNotification } from "./client/types.ts";

/** A node, a text, `mount.element` when the content was put into it, or null for the widget's default. */
export type SlotContent = Node | string | null | undefined;

/** The place of a piece of content, from its creation until it leaves the page. */
export type SlotMount<T> = {
  /** The element a framework renders into; the function then returns it. */
  element: HTMLElement;
  /** Called with a later value. Without it, the content is created again on every change. */
  onUpdate: (run: (value: T) => void) => void;
  /** Called when the content is removed: its row has left the list or the window, or the function was replaced. */
  onRemove: (run: () => void) => void;
};

export type SlotRenderer<T> = (value: T, mount: SlotMount<T>) => SlotContent;

/** Renders a row of the list. */
export type ItemRenderer = SlotRenderer<InboxNotification>;

export type InboxView = "inbox" | "unread" | "archived" | "snoozed";

/** What a custom header shows and does. */
export type InboxHeader = {
  view: InboxView;
  /** Null before the first response. */
  counts: Counts | null;
  setView: (view: InboxView) => void;
  markAllRead: () => void;
  openPreferences: () => void;
  /** Closes the panel of the bell. */
  close: () => void;
};

/** Functions for custom content, by the element's property that they are set with. */
export type Slots = {
  /** The whole row of a notification. */
  renderItem: ItemRenderer;
  renderSubject: ItemRenderer;
  renderBody: ItemRenderer;
  renderAvatar: ItemRenderer;
  renderActions: ItemRenderer;
  /** What is in the button of the bell, the count included; null before the first response. */
  renderBell: SlotRenderer<Counts | null>;
  /** A list without notifications. */
  renderEmpty: SlotRenderer<InboxView>;
  /** The header of the list; the header of the preferences is not replaced. */
  renderHeader: SlotRenderer<InboxHeader>;
};

export type Mounted<T> = { update: (value: T) => void; remove: () => void };

/** An error in the page's code removes one piece of content, not the widget. */
function guard(run: () => void): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}

/**
 * Puts content into the slot `name` of the element. There is one piece of content at any time, and none after `remove`.
 */
export function mountSlot<T>(host: Element, name: string, render: SlotRenderer<T>, first: T): Mounted<T> {
  let version: string | undefined;
  let updates: ((value: T) => void)[] = [];
  let removes: (() => void)[] = [];
  const remove = () => {
    const runs = removes;
    updates = removes = [];
    runs.forEach(guard);
  };
  const update = (value: T) => {
    // A list that is read again has equal notifications in other objects.
    const next = JSON.stringify(value);
    if (next === version) return;
    version = next;
    for (const run of updates) guard(() => run(value));
    if (updates[0]) return;
    remove();
    const element = document.createElement("div");
    element.slot = name;
    element.style.display = "contents";
    removes = [() => element.remove()];
    updates = [];
    let content: SlotContent;
    guard(() => {
      const onUpdate = (run: (value: T) => void) => void updates.push(run);
      content = render(value, { element, onUpdate, onRemove: (run) => void removes.push(run) });
    });
    if (content === null || content === undefined) return remove();
    if (content !== element) element.append(content);
    host.append(element);
  };
  update(first);
  return { update, remove };
}
