// The custom element <tidings-toast>: new messages at the edge of the window. It receives them from the page's
// <tidings-inbox> elements, or from its own inbox if it has attributes for one. Drawn without a library.
import type { Inbox } from "../client/create-inbox.ts";
import type { InboxNotification, InboxOptions } from "../client/types.ts";
import { sheetOf } from "../ui/sheet.ts";
import { toastLabels } from "../ui/toast-labels.ts";
import { makeToast } from "./toast-markup.ts";
import { toastStyle } from "./toast-style.ts";

export type ToastLabels = typeof toastLabels;

/** Attributes that define a separate inbox, the same as those of `<tidings-inbox>`. */
const sessionAttributes = [
  ...["url", "application-identifier", "subscriber-id", "subscriber-hash"],
  ...["context", "context-hash", "token"],
];
const placements = ["top-start", "top-end", "top", "bottom-start", "bottom-end", "bottom"];
const defaultSeconds = 6;
const defaultMax = 3;
/** Messages that wait for a place. Beyond that, the oldest are dropped: they are in the inbox. */
const maxWaiting = 20;
/** Ids of messages that were shown, since several inboxes of the page may report the same message. */
const maxKnown = 200;

/** The properties of `<tidings-toast>`. */
export type TidingsToastElement = HTMLElement & {
  /** The client whose messages are shown, instead of those of the page's elements. */
  inbox: Inbox | null;
  /** Called whenever a token is needed, when the attributes define a separate inbox. */
  getToken: InboxOptions["getToken"];
  labels: Partial<ToastLabels>;
  /** Shows a message. */
  show: (notification: InboxNotification) => void;
  /** Removes all messages. */
  clear: () => void;
};

export type ToastOptions = {
  defaultUrl: string;
  openInbox: (options: InboxOptions) => Promise<Inbox>;
  loadWords: (locale: string) => Promise<Partial<ToastLabels> | null>;
};

type Shown = {
  notification: InboxNotification;
  inbox: Inbox | null;
  element: HTMLElement;
  /** What is left of its time, and since when it runs. */
  leftMs: number;
  runsSince: number | null;
  timer: ReturnType<typeof setTimeout> | undefined;
};

/** A function, because `HTMLElement` does not exist where pages are rendered on a server. */
export function createToastClass({ defaultUrl, openInbox, loadWords }: ToastOptions): CustomElementConstructor {
  const sheet = sheetOf(toastStyle);

  return class extends HTMLElement implements TidingsToastElement {
    static observedAttributes = [...sessionAttributes, "placement"];
    #root = this.attachShadow({ mode: "open" });
    #place = document.createElement("section");
    #shown: Shown[] = [];
    #waiting: { notification: InboxNotification; inbox: Inbox | null }[] = [];
    #known = new Set<string>();
    #inbox: Inbox | null = null;
    #isOwn = false;
    #getToken: InboxOptions["getToken"];
    #labels: Partial<ToastLabels> = {};
    #words: Partial<ToastLabels> | null = null;
    #stops: (() => void)[] = [];
    #isDue = false;
    #hasPointer = false;

    get inbox() {
      return this.#inbox;
    }
    set inbox(value) {
      this.#release();
      this.#inbox = value;
      this.#request();
    }
    get getToken() {
      return this.#getToken;
    }
    set getToken(value) {
      this.#getToken = value;
      if (!this.#inbox || this.#isOwn) this.#restart();
    }
    get labels() {
      return this.#labels;
    }
    set labels(value) {
      this.#labels = value ?? {};
      this.#label();
    }

    connectedCallback() {
      this.#root.adoptedStyleSheets = [sheet];
      this.#place.className = "place";
      this.#place.setAttribute("part", "toasts");
      // Above dialogs and other popovers; not one that a click elsewhere closes.
      this.#place.setAttribute("popover", "manual");
      this.#root.append(this.#place);
      for (const name of ["inbox", "getToken", "labels"] as const) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete (this as Record<string, unknown>)[name];
        (this as Record<string, unknown>)[name] = value;
      }
      this.#label();
      const locale = this.closest("[lang]")?.getAttribute("lang") || navigator.language;
      if (!/^en\b/i.test(locale))
        loadWords(locale).then(
          (words) => {
            this.#words = words;
            this.#label();
          },
          () => {},
        );
      document.addEventListener("notification", this.#onPageNotification);
      document.addEventListener("visibilitychange", this.#onPause);
      document.addEventListener("keydown", this.#onKey);
      for (const name of ["pointerenter", "pointerleave"]) this.#place.addEventListener(name, this.#onPointer);
      for (const name of ["focusin", "focusout"]) this.#place.addEventListener(name, this.#onPause);
      this.#request();
    }

    disconnectedCallback() {
      queueMicrotask(() => {
        if (this.isConnected) return;
        document.removeEventListener("notification", this.#onPageNotification);
        document.removeEventListener("visibilitychange", this.#onPause);
        document.removeEventListener("keydown", this.#onKey);
        for (const stop of this.#watched.values()) stop();
        this.#watched.clear();
        this.clear();
        const wasOwn = this.#isOwn;
        this.#release();
        if (wasOwn) this.#inbox = null;
      });
    }

    attributeChangedCallback(name: string, before: string | null, after: string | null) {
      if (before !== after && this.isConnected && sessionAttributes.includes(name)) this.#restart();
    }

    show(notification: InboxNotification, inbox: Inbox | null = this.#inbox) {
      if (this.#known.has(notification.id)) return;
      this.#known.add(notification.id);
      if (this.#known.size > maxKnown) this.#known.delete(this.#known.values().next().value!);
      this.#waiting.push({ notification, inbox });
      if (this.#waiting.length > maxWaiting) this.#waiting.shift();
      this.#fill();
    }

    clear() {
      this.#waiting = [];
      for (const shown of [...this.#shown]) this.#remove(shown);
    }

    #number(name: string, otherwise: number, least: number, most: number): number {
      const value = Number.parseFloat(this.getAttribute(name) ?? "");
      return Number.isNaN(value) ? otherwise : Math.max(least, Math.min(value, most));
    }

    #say = (name: keyof ToastLabels): string => this.#labels[name] ?? this.#words?.[name] ?? toastLabels[name];

    #label() {
      this.#place.setAttribute("aria-label", this.#say("toasts"));
      for (const button of this.#place.querySelectorAll(".dismiss")) {
        button.setAttribute("aria-label", this.#say("dismiss"));
        button.setAttribute("title", this.#say("dismiss"));
      }
    }

    #restart() {
      this.#release();
      this.#inbox = null;
      this.#request();
    }

    /** Several changes in one turn are applied once. */
    #request() {
      if (this.#isDue || !this.isConnected) return;
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        if (this.isConnected) void this.#connect().catch(() => {});
      });
    }

    async #connect() {
      const text = (name: string) => this.getAttribute(name) ?? undefined;
      const isNamed = text("subscriber-id") !== undefined || text("token") !== undefined || this.#getToken;
      if (!this.#inbox && isNamed) {
        const context = text("context");
        const opened = await openInbox({
          url: text("url") ?? defaultUrl,
          applicationIdentifier: text("application-identifier"),
          subscriberId: text("subscriber-id"),
          subscriberHash: text("subscriber-hash"),
          context: context === undefined ? undefined : JSON.parse(context),
          contextHash: text("context-hash"),
          token: text("token"),
          getToken: this.#getToken,
        });
        // Removed from the page, or given another inbox, while the client was loading.
        if (!this.isConnected || this.#inbox) return opened.close();
        this.#inbox = opened;
        this.#isOwn = true;
      }
      const inbox = this.#inbox;
      if (inbox && this.#stops.length === 0) {
        this.#stops = [inbox.onNotification((notification) => this.#offer(notification, inbox)), this.#watch(inbox)];
      }
    }

    #release() {
      for (const stop of this.#stops) stop();
      this.#stops = [];
      if (this.#isOwn) this.#inbox?.close();
      this.#isOwn = false;
    }

    /** A message of an element of the page; with `for`, only of the element with that id. */
    #onPageNotification = (event: Event) => {
      const source = event.target as Element & { inbox?: Inbox | null };
      if (this.#inbox || source.localName !== "tidings-inbox") return;
      const wanted = this.getAttribute("for");
      if (wanted !== null && source.id !== wanted) return;
      // No toast is needed while the list is open.
      if (source.shadowRoot?.querySelector("#panel:popover-open") && !document.hidden) return;
      const { inbox = null } = source;
      if (inbox && !this.#watched.has(inbox)) this.#watched.set(inbox, this.#watch(inbox));
      this.#offer((event as CustomEvent<InboxNotification>).detail, inbox);
    };
    #watched = new Map<Inbox, () => void>();

    /** Removes the toasts of messages that were read elsewhere. */
    #watch(inbox: Inbox): () => void {
      let before = inbox.getState().counts?.total ?? 0;
      return inbox.subscribe(() => {
        const { counts, notifications } = inbox.getState();
        const isAllRead = before > 0 && counts?.total === 0;
        before = counts?.total ?? before;
        const isDone = ({ id }: InboxNotification) =>
          isAllRead || notifications.some((item) => item.id === id && (item.isRead || item.isArchived));
        this.#waiting = this.#waiting.filter((one) => one.inbox !== inbox || !isDone(one.notification));
        for (const shown of [...this.#shown])
          if (shown.inbox === inbox && isDone(shown.notification)) this.#remove(shown);
      });
    }

    #offer(notification: InboxNotification, inbox: Inbox | null) {
      // The page may show it in another way.
      if (this.#emit("toast", notification)) this.show(notification, inbox);
    }

    #emit = (name: string, detail: unknown): boolean =>
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));

    #fill() {
      const max = Math.floor(this.#number("max", defaultMax, 1, 10));
      // A hidden page shows them when it is seen again.
      while (!document.hidden && this.#waiting.length > 0 && this.#shown.length < max) {
        const { notification, inbox } = this.#waiting.shift()!;
        this.#draw(notification, inbox);
      }
    }

    #draw(notification: InboxNotification, inbox: Inbox | null) {
      const seconds = this.#number("duration", defaultSeconds, 0, 600);
      const shown: Shown = {
        notification,
        inbox,
        element: makeToast(notification, this.#say("dismiss")),
        leftMs: seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000,
        runsSince: null,
        timer: undefined,
      };
      this.#shown.push(shown);
      const { element } = shown;
      element.querySelector(".dismiss")!.addEventListener("click", (event) =>
        // A key press has no click count.
        this.#dismiss(shown, (event as MouseEvent).detail === 0),
      );
      element.querySelector(".main")!.addEventListener("click", (event) => this.#open(event, shown));
      const placement = this.getAttribute("placement") ?? "";
      this.#place.dataset.placement = placements.includes(placement) ? placement : "bottom-end";
      if (!this.#place.matches(":popover-open")) this.#place.showPopover();
      // The live region exists before its text: screen readers only read what is added to it.
      const content = [...element.childNodes];
      element.replaceChildren();
      this.#place.append(element);
      requestAnimationFrame(() => element.replaceChildren(...content));
      this.#resume();
    }

    #open(event: Event, shown: Shown) {
      const { notification, inbox } = shown;
      const { redirect } = notification;
      inbox?.read(notification.id).catch(() => {});
      const detail = { url: redirect?.url, target: redirect?.target ?? "_self", notification };
      if (!this.#emit("navigate", detail)) event.preventDefault();
      // Only after the link has been followed: a link outside the page does nothing.
      setTimeout(() => this.#remove(shown));
    }

    /** Keyboard focus moves to the next toast. After a pointer it does not: focus would stop that toast's time. */
    #dismiss(shown: Shown, isByKey: boolean) {
      const next = this.#shown[this.#shown.indexOf(shown) + 1] ?? this.#shown[this.#shown.indexOf(shown) - 1];
      const hadFocus = shown.element.contains(this.#root.activeElement);
      this.#remove(shown);
      if (hadFocus && isByKey) next?.element.querySelector<HTMLElement>(".dismiss")?.focus();
    }

    #remove(shown: Shown) {
      clearTimeout(shown.timer);
      shown.element.remove();
      this.#shown = this.#shown.filter((one) => one !== shown);
      this.#fill();
      if (this.#shown.length === 0 && this.#place.matches(":popover-open")) this.#place.hidePopover();
      if (this.#shown.length === 0) this.#hasPointer = false;
      this.#onPause();
    }

    #onPointer = (event: Event) => {
      this.#hasPointer = event.type === "pointerenter";
      this.#onPause();
    };

    /** The time stops while somebody reads or uses a toast; a hidden page shows nothing. */
    #onPause = () => {
      if (!document.hidden) this.#fill();
      this.#resume();
    };

    #resume() {
      const isPaused = this.#hasPointer || document.hidden || this.#root.activeElement !== null;
      const now = performance.now();
      for (const shown of this.#shown) {
        clearTimeout(shown.timer);
        if (shown.runsSince !== null) shown.leftMs -= now - shown.runsSince;
        shown.runsSince = isPaused ? null : now;
        if (isPaused || shown.leftMs === Number.POSITIVE_INFINITY) continue;
        shown.timer = setTimeout(() => this.#remove(shown), Math.max(0, shown.leftMs));
      }
    }

    /** Escape closes the newest one, unless something else in the page has handled the key. */
    #onKey = (event: KeyboardEvent) => {
      const last = this.#shown.at(-1);
      if (event.key !== "Escape" || event.defaultPrevented || !last) return;
      const focused = this.#shown.find(({ element }) => element.contains(this.#root.activeElement));
      this.#dismiss(focused ?? last, true);
    };
  };
}
