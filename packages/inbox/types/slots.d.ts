// Generated from packages/inbox/src by `npm run generate`. Do not edit.
import type { Counts, InboxNotification } from "./client/types.js";
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
export type Mounted<T> = {
    update: (value: T) => void;
    remove: () => void;
};
/**
 * Puts content into the slot `name` of the element. There is one piece of content at any time, and none after `remove`.
 */
export declare function mountSlot<T>(host: Element, name: string, render: SlotRenderer<T>, first: T): Mounted<T>;
