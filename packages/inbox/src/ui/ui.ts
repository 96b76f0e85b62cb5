// What all parts of the widget share.
import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Inbox } from "../client/create-inbox.ts";
import type { InboxState } from "../client/types.ts";
import type { InboxTab } from "../element-types.ts";
import type { mountSlot, Slots } from "../slots.ts";
import type { Labels } from "./labels.ts";

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
  /** The element, which holds the page's own content, and the functions that create it. */
  host: HTMLElement;
  slots: Partial<Slots>;
  mountSlot: typeof mountSlot;
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
