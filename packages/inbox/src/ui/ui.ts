// What all parts of the widget share.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Inbox } from "../client/create-inbox.ts";
import type { InboxNotification, InboxState } from "../client/types.ts";
import type { Labels } from "./labels.ts";

/** A tab of the list: messages of workflows with any of the tags; all messages without tags. */
export type InboxTab = { label: string; tags?: string[] };

export type Ui = {
  inbox: Inbox;
  labels: Labels;
  locale: string;
  tabs: InboxTab[];
  isInline: boolean;
  /** Dispatches an event of the element; false when a listener has canceled it. */
  emit: (name: string, detail: unknown) => boolean;
  /** Runs a change; a failure is shown. */
  attempt: (work: Promise<unknown>) => void;
  /** Makes the page's own content for an item, where there is one. */
  mountItem: ((notification: InboxNotification) => boolean) | null;
  restart: () => void;
};

export const UiContext = createContext<Ui>(null as unknown as Ui);
export const useUi = (): Ui => useContext(UiContext);

export function useInboxState(inbox: Inbox): InboxState {
  const [state, setState] = useState(inbox.getState);
  useEffect(() => {
    const take = () => setState(inbox.getState());
    take();
    return inbox.subscribe(take);
  }, [inbox]);
  return state;
}

/** The time, once a minute. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
