"use client";
// For React: the widget as a component, and hooks for a custom user interface. The directive is for frameworks with
// server components, such as Next, which render these components in the browser too.
import {
  createContext,
  createElement,
  type ForwardedRef,
  type ForwardRefExoticComponent,
  Fragment,
  forwardRef,
  type ReactElement,
  type ReactNode,
  type RefAttributes,
  useContext,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { createInbox, type Inbox as InboxClient } from "../client/create-inbox.ts";
import type { Counts, InboxNotification, InboxOptions, InboxState } from "../client/types.ts";
import { defineInbox } from "../define-on-request.ts";
import type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement } from "../element-types.ts";
import type { GivenLabels } from "../ui/labels.ts";
import { type SlotProps, useSlots } from "./slots.ts";
import { createToast, type ToastProps } from "./toast.ts";

export type { ActionEvent, InboxTab, NavigateEvent, TidingsInboxElement } from "../element-types.ts";
export type { InboxHeader, InboxView } from "../slots.ts";
export type { SlotProps } from "./slots.ts";
export type { ToastProps } from "./toast.ts";

const InboxContext = createContext<InboxClient | null>(null);

export type InboxProps = Partial<InboxOptions> &
  SlotProps & {
    mode?: "popover" | "inline";
    theme?: "light" | "dark" | "auto";
    /** Where the panel opens, and its distance from the bell in pixels. */
    placement?: "bottom-start" | "bottom-end" | "top-start" | "top-end" | "auto";
    offset?: number;
    /** The unread count in front of the title of the page. */
    titleBadge?: boolean;
    /** Colours, corners and font of the brand that the session has. */
    branded?: boolean;
    /** `default`, or the address of a sound for new messages. */
    sound?: string;
    /** Path of the service worker, for the switch "Notify me in this browser". */
    worker?: string;
    /** Hosts that images in messages may come from. */
    imageHosts?: string[];
    tabs?: InboxTab[];
    labels?: GivenLabels;
    className?: string;
    dir?: "ltr" | "rtl";
    lang?: string;
    /** Before a link is followed. `event.preventDefault()` leaves that to you. */
    onNavigate?: (event: NavigateEvent) => void;
    /** Before a button press is recorded. `event.preventDefault()` prevents it. */
    onAction?: (event: ActionEvent) => void;
    onNotification?: (notification: InboxNotification) => void;
    onCounts?: (counts: Counts) => void;
    /** A custom icon: `<svg slot="bell">`. */
    children?: ReactNode;
  };

/**
 * The widget. Inside an `<InboxProvider>` it shows the provider's inbox, otherwise the one its props define. A `ref` is
 * the element, with `show()` and `hide()`.
 */
export const Inbox: ForwardRefExoticComponent<InboxProps & RefAttributes<TidingsInboxElement>> =
  forwardRef(InboxWidget);

function InboxWidget(props: InboxProps, ref: ForwardedRef<TidingsInboxElement>): ReactElement {
  const element = useRef<TidingsInboxElement>(null);
  useImperativeHandle(ref, () => element.current!, []);
  const given = useRef(props);
  given.current = props;
  const shared = useContext(InboxContext);
  const { tabs, labels, getToken } = props;
  useEffect(() => void define(element.current!), []);
  useEffect(() => {
    if (element.current) Object.assign(element.current, { inbox: shared });
  }, [shared]);
  const hasGetToken = getToken !== undefined;
  useEffect(() => {
    // The function may differ in every render; the element keeps one that calls the latest.
    const ask = () => given.current.getToken!();
    if (element.current && hasGetToken) Object.assign(element.current, { getToken: ask });
  }, [hasGetToken]);
  const tabsText = JSON.stringify(tabs ?? []);
  useEffect(() => {
    if (element.current) Object.assign(element.current, { tabs: JSON.parse(tabsText) });
  }, [tabsText]);
  useEffect(() => {
    if (element.current && labels) Object.assign(element.current, { labels });
  }, [labels]);
  useEffect(() => {
    const target = element.current!;
    const listeners: Record<string, (event: Event) => void> = {
      navigate: (event) => given.current.onNavigate?.(event as NavigateEvent),
      action: (event) => given.current.onAction?.(event as ActionEvent),
      notification: (event) => given.current.onNotification?.((event as CustomEvent).detail),
      counts: (event) => given.current.onCounts?.((event as CustomEvent).detail),
    };
    for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) target.removeEventListener(name, listener);
    };
  }, []);
  const content = useSlots(element, props);
  const { url, applicationIdentifier, subscriberId, subscriberHash, context, contextHash, token, pageSize } = props;
  const widget = createElement(
    "tidings-inbox",
    {
      ref: element,
      url,
      "application-identifier": applicationIdentifier,
      "subscriber-id": subscriberId,
      "subscriber-hash": subscriberHash,
      context: context && JSON.stringify(context),
      "context-hash": contextHash,
      token,
      "page-size": pageSize,
      mode: props.mode,
      theme: props.theme,
      placement: props.placement,
      offset: props.offset,
      class: props.className,
      dir: props.dir,
      lang: props.lang,
      "title-badge": props.titleBadge ? "" : undefined,
      branded: props.branded ? "" : undefined,
      sound: props.sound,
      worker: props.worker,
      "image-hosts": props.imageHosts?.join(" "),
    },
    props.children,
  );
  // Hooks in custom content find the client of this widget.
  const client = shared ?? element.current?.inbox ?? null;
  return createElement(Fragment, null, widget, createElement(InboxContext.Provider, { value: client }, content));
}

/** Until the class of the element is loaded, `show()` and `hide()` wait for it. */
async function define(element: TidingsInboxElement): Promise<void> {
  const ready = defineInbox();
  if (typeof element.show === "function") return ready;
  for (const name of ["show", "hide"] as const)
    Object.assign(element, { [name]: () => ready.then(() => element[name]()) });
  await ready;
  for (const name of ["show", "hide"]) delete (element as unknown as Record<string, unknown>)[name];
}

/** Opens one inbox for the hooks and components below it. When the ids change, another one is opened. */
export function InboxProvider({ children, ...options }: InboxOptions & { children?: ReactNode }): ReactElement {
  const given = useRef(options);
  given.current = options;
  const [inbox, setInbox] = useState<InboxClient | null>(null);
  const { fetch: _fetch, getToken, ...names } = options;
  const key = JSON.stringify(names);
  const hasGetToken = getToken !== undefined;
  useEffect(() => {
    const ask = () => given.current.getToken!();
    const opened = createInbox({ ...given.current, ...(hasGetToken && { getToken: ask }) });
    setInbox(opened);
    return () => opened.close();
  }, [key, hasGetToken]);
  return createElement(InboxContext.Provider, { value: inbox }, children);
}

/** The client of the nearest `<InboxProvider>`; null while it is opened, as in the first render and on a server. */
export const useInbox = (): InboxClient | null => useContext(InboxContext);

const idle = () => () => {};

function useSelected<T>(select: (state: InboxState) => T, initial: T): T {
  const inbox = useInbox();
  const get = () => (inbox ? select(inbox.getState()) : initial);
  return useSyncExternalStore(inbox ? inbox.subscribe : idle, get, () => initial);
}

const noNotifications: InboxNotification[] = [];

export type NotificationList = Pick<InboxState, "notifications" | "hasMore" | "newCount" | "error"> & {
  phase: InboxState["list"];
  /** Contains the functions that change the list. */
  inbox: InboxClient | null;
};

/** The list, which is read by the first component that uses it, with functions that change it. */
export function useNotifications(): NotificationList {
  const inbox = useInbox();
  useEffect(() => {
    if (inbox?.getState().list === "none") inbox.load().catch(() => {});
  }, [inbox]);
  return {
    notifications: useSelected((state) => state.notifications, noNotifications),
    hasMore: useSelected((state) => state.hasMore, false),
    phase: useSelected((state) => state.list, "none"),
    newCount: useSelected((state) => state.newCount, 0),
    error: useSelected((state) => state.error, null),
    inbox,
  };
}

/** Unread messages, in total and by severity; null before the first response. */
export const useCounts = (): Counts | null => useSelected((state) => state.counts, null);

/** `connecting`, `live`, `offline` or `error`. */
export const useInboxStatus = (): InboxState["status"] => useSelected((state) => state.status, "connecting");

/** Preferences and schedule, which are read by the first component that uses them. */
export function usePreferences() {
  const inbox = useInbox();
  const preferences = useSelected((state) => state.preferences, null);
  useEffect(() => {
    if (inbox && inbox.getState().preferences === null) inbox.loadPreferences().catch(() => {});
  }, [inbox]);
  return {
    preferences,
    updatePreference: inbox?.updatePreference,
    updateSchedule: inbox?.updateSchedule,
    updateDigestFrequency: inbox?.updateDigestFrequency,
  };
}

/**
 * Shows new messages of the nearest `<InboxProvider>`, of the inbox its props define, or of the page's `<Inbox>`
 * elements.
 */
export const Toast: (props: ToastProps) => ReactElement = createToast(useInbox);
