// For React: the widget as a component, and hooks for a user interface of one's own.
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { createInbox, type Inbox as InboxClient } from "../client/create-inbox.ts";
import type { Counts, InboxNotification, InboxOptions, InboxState, Redirect } from "../client/types.ts";
import { defineInbox, type InboxTab, type ItemRenderer, type Labels, type TidingsInboxElement } from "../index.ts";

export { Toast, type ToastProps } from "./toast.ts";

const InboxContext = createContext<InboxClient | null>(null);

export type InboxProps = Partial<InboxOptions> & {
  mode?: "popover" | "inline";
  theme?: "light" | "dark" | "auto";
  tabs?: InboxTab[];
  labels?: Partial<Labels>;
  renderItem?: ItemRenderer;
  className?: string;
  dir?: "ltr" | "rtl";
  lang?: string;
  /** Where the panel opens, and its distance from the bell in pixels. */
  placement?: "bottom-start" | "bottom-end" | "top-start" | "top-end" | "auto";
  offset?: number;
  /** The unread count in front of the title of the page. */
  titleBadge?: boolean;
  /** `default`, or the address of a sound for new messages. */
  sound?: string;
  /** Path of the service worker, for the switch "Notify me in this browser". */
  worker?: string;
  /** Hosts that images in messages may come from. */
  imageHosts?: string[];
  /** Before an address is followed. `event.preventDefault()` leaves that to you. */
  onNavigate?: (event: CustomEvent<Redirect & { notification: InboxNotification }>) => void;
  onNotification?: (notification: InboxNotification) => void;
  onCounts?: (counts: Counts) => void;
  /** An own bell: `<svg slot="bell">`. */
  children?: ReactNode;
};

/** The widget. Inside an `<InboxProvider>` it shows the inbox of the provider, otherwise that of its own props. */
export function Inbox(props: InboxProps): ReactElement {
  const element = useRef<TidingsInboxElement>(null);
  const given = useRef(props);
  given.current = props;
  const shared = useContext(InboxContext);
  const { tabs, labels, renderItem, getToken } = props;
  useEffect(() => void defineInbox(), []);
  useEffect(() => {
    if (element.current) Object.assign(element.current, { inbox: shared });
  }, [shared]);
  const hasGetToken = getToken !== undefined;
  useEffect(() => {
    // The function may be another one in every render; the element keeps one that calls the last.
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
    if (element.current && renderItem) Object.assign(element.current, { renderItem });
  }, [renderItem]);
  useEffect(() => {
    const target = element.current!;
    const listeners: Record<string, (event: Event) => void> = {
      navigate: (event) => given.current.onNavigate?.(event as never),
      notification: (event) => given.current.onNotification?.((event as CustomEvent).detail),
      counts: (event) => given.current.onCounts?.((event as CustomEvent).detail),
    };
    for (const [name, listener] of Object.entries(listeners)) target.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(listeners)) target.removeEventListener(name, listener);
    };
  }, []);
  const { url, applicationIdentifier, subscriberId, subscriberHash, context, contextHash, token, pageSize } = props;
  return createElement(
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
      class: props.className,
      dir: props.dir,
      lang: props.lang,
      placement: props.placement,
      offset: props.offset,
      "title-badge": props.titleBadge ? "" : undefined,
      sound: props.sound,
      worker: props.worker,
      "image-hosts": props.imageHosts?.join(" "),
    },
    props.children,
  );
}

/** Opens one inbox for the hooks and components below it. A change of the ids opens another one. */
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

/** The list, which is read by the first component that uses it, with functions that change it. */
export function useNotifications() {
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

/** Unread messages, in total and by severity; null before the first answer. */
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
  return { preferences, updatePreference: inbox?.updatePreference, updateSchedule: inbox?.updateSchedule };
}
