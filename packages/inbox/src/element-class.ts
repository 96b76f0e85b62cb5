// The custom element <tidings-inbox>: attributes and properties in, events out, the widget in its shadow tree.
import { type BellLabels, createAnnouncer, createBell } from "./bell.ts";
import { createInbox, type Inbox } from "./client/create-inbox.ts";
import type { Counts, InboxOptions } from "./client/types.ts";
import type { InboxTab, TidingsInboxElement } from "./element-types.ts";
import type * as extrasModule from "./extras/extras.ts";
import { slotProperties } from "./slot-names.ts";
import { type Mounted, mountSlot, type Slots } from "./slots.ts";
import { bellLabels } from "./ui/bell-labels.ts";
import { bellStyle } from "./ui/bell-style.ts";
import type * as panelModule from "./ui/draw.tsx";
import type { GivenLabels, Labels } from "./ui/labels.ts";
import { sheetOf } from "./ui/sheet.ts";

type PanelModule = typeof panelModule;

/** Attributes that name the inbox: when one changes, the inbox is opened again. */
const sessionAttributes = [
  ...["url", "application-identifier", "subscriber-id", "subscriber-hash"],
  ...["context", "context-hash", "token", "page-size"],
];
const attributes = [...sessionAttributes, "mode", "tabs", "lang", "title-badge", "sound", "branded"];

/** Properties that a page may have set before the element was defined. */
const properties = ["labels", "tabs", "getToken", "inbox", ...slotProperties] as const;

const reloadMs = 5_000;

export type ElementOptions = {
  /** For elements without `url`. */
  defaultUrl: string;
  loadPanel: () => Promise<PanelModule>;
  loadExtras: () => Promise<typeof extrasModule>;
};

/** A function, because `HTMLElement` does not exist where pages are rendered on a server. */
export function createElementClass({ defaultUrl, loadPanel, loadExtras }: ElementOptions): CustomElementConstructor {
  const bellSheet = sheetOf(bellStyle);
  let panelSheet: CSSStyleSheet | null = null;

  return class TidingsInbox extends HTMLElement implements TidingsInboxElement {
    static observedAttributes = attributes;
    static {
      for (const name of slotProperties) {
        Object.defineProperty(TidingsInbox.prototype, name, {
          get() {
            return this.#slots[name] ?? null;
          },
          set(value) {
            this.#slots = { ...this.#slots, [name]: value };
            this.#request(false);
          },
        });
      }
    }
    declare renderItem: Slots["renderItem"] | null;
    declare renderSubject: Slots["renderSubject"] | null;
    declare renderBody: Slots["renderBody"] | null;
    declare renderAvatar: Slots["renderAvatar"] | null;
    declare renderActions: Slots["renderActions"] | null;
    declare renderBell: Slots["renderBell"] | null;
    declare renderEmpty: Slots["renderEmpty"] | null;
    declare renderHeader: Slots["renderHeader"] | null;
    #shadow = this.attachShadow({ mode: "open" });
    #place = document.createElement("div");
    #bell = createBell(
      () => void this.#loadPanel().catch(() => {}),
      (event) => {
        if (this.#panel) return;
        // The panel is shown when it is loaded. Without this the browser would toggle it once more.
        event.preventDefault();
        void this.show().catch(() => {});
      },
    );
    #announcer = createAnnouncer();
    #panel: PanelModule | null = null;
    #labels: GivenLabels = {};
    /** Words of the language, unless it is English. */
    #words: Labels | null = null;
    #language = "en";
    #unfollow: (() => void) | null = null;
    #tabs: InboxTab[] | null = null;
    #tabsRead: InboxTab[] | null = null;
    #getToken: InboxOptions["getToken"];
    #slots: Partial<Slots> = {};
    #ownBell: (Mounted<Counts | null> & { render: Slots["renderBell"] }) | null = null;
    #inbox: Inbox | null = null;
    #isOwn = true;
    #stop: (() => void) | null = null;
    #isDue = false;
    #isRestart = true;

    get labels() {
      return this.#labels;
    }
    set labels(value) {
      this.#labels = value ?? {};
      this.#request(false);
    }
    get tabs() {
      this.#tabsRead ??= this.#tabs ?? readJson<InboxTab[]>(this.getAttribute("tabs")) ?? [];
      return this.#tabsRead;
    }
    set tabs(value) {
      this.#tabs = value;
      this.#tabsRead = null;
      this.#request(false);
    }
    get getToken() {
      return this.#getToken;
    }
    set getToken(value) {
      this.#getToken = value;
      this.#request(true);
    }
    get inbox() {
      return this.#inbox;
    }
    set inbox(value) {
      if (value === this.#inbox || (value === null && this.#isOwn)) return;
      this.#close();
      this.#inbox = value;
      this.#isOwn = value === null;
      this.#request(this.#isOwn);
    }

    connectedCallback() {
      this.#bell.element.addEventListener("slotchange", this.#markOwnBell);
      this.#adoptSheets();
      this.#place.className = "place";
      this.#shadow.append(this.#announcer.element, this.#place);
      for (const name of properties) {
        if (!Object.hasOwn(this, name)) continue;
        const value = this[name];
        delete (this as Record<string, unknown>)[name];
        (this as Record<string, unknown>)[name] = value;
      }
      this.#request(this.#inbox === null);
    }

    disconnectedCallback() {
      // An element that is only moved is connected again in the same turn.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.#close();
        this.#unfollow?.();
        this.#unfollow = null;
        this.#panel?.removePanel(this.#place);
        this.#ownBell?.remove();
        this.#ownBell = null;
      });
    }

    attributeChangedCallback(name: string, before: string | null, after: string | null) {
      if (before === after) return;
      if (name === "tabs") this.#tabsRead = null;
      if (name === "branded") this.#adoptSheets();
      this.#request(sessionAttributes.includes(name));
    }

    async show() {
      await this.#loadPanel();
      this.#shadow.querySelector<HTMLElement>("#panel:not(:popover-open)")?.showPopover();
    }
    hide() {
      this.#shadow.querySelector<HTMLElement>("#panel")?.hidePopover();
    }

    /** Several changes in one turn are drawn once. */
    #request(isRestart: boolean) {
      this.#isRestart ||= isRestart;
      if (this.#isDue || !this.isConnected) return;
      this.#isDue = true;
      queueMicrotask(() => {
        this.#isDue = false;
        if (!this.isConnected) return;
        if (this.#isOwn && (this.#isRestart || !this.#inbox)) this.#open();
        if (!this.#stop) this.#listen();
        this.#isRestart = false;
        this.#draw();
      });
    }

    #open() {
      this.#close();
      const text = (name: string) => this.getAttribute(name) ?? undefined;
      this.#inbox = createInbox({
        url: text("url") ?? defaultUrl,
        applicationIdentifier: text("application-identifier"),
        subscriberId: text("subscriber-id"),
        subscriberHash: text("subscriber-hash"),
        context: readJson(this.getAttribute("context")),
        contextHash: text("context-hash"),
        token: text("token"),
        getToken: this.#getToken,
        pageSize: Number(text("page-size")) || undefined,
      });
    }

    #listen() {
      const inbox = this.#inbox!;
      let { counts, theme } = inbox.getState();
      const stops = [
        inbox.onNotification((notification) => {
          this.#announcer.announce(this.#bellLabels());
          this.#emit("notification", notification);
        }),
        inbox.subscribe(() => {
          const { counts: next, theme: nextTheme } = inbox.getState();
          if (nextTheme !== theme) {
            theme = nextTheme;
            this.#adoptSheets();
          }
          if (JSON.stringify(next) === JSON.stringify(counts)) return;
          counts = next;
          this.#drawBell();
          this.#emit("counts", counts);
        }),
      ];
      this.#stop = () => {
        for (const stop of stops) stop();
      };
    }

    #close() {
      this.#stop?.();
      this.#stop = null;
      if (this.#isOwn) this.#inbox?.close();
      if (this.#isOwn) this.#inbox = null;
    }

    /** With `branded`, the brand's colours come first; variables that the page sets on the element win over them. */
    #adoptSheets() {
      const theme = this.hasAttribute("branded") ? this.#inbox?.getState().theme : null;
      const rules = Object.entries(theme ?? {}).map(([name, value]) => `--tidings-${name}:${value}`);
      this.#shadow.adoptedStyleSheets = [
        bellSheet,
        ...(panelSheet ? [panelSheet] : []),
        ...(rules.length > 0 ? [sheetOf(`:host{${rules.join(";")}}`)] : []),
      ];
    }

    #emit = (name: string, detail: unknown): boolean =>
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }));

    #bellLabels = (): BellLabels => ({ ...bellLabels, ...this.#words, ...this.#labels });

    #isInline = (): boolean => this.getAttribute("mode") === "inline";

    async #loadPanel(): Promise<void> {
      if (this.#panel) return;
      const loaded = await loadPanel();
      panelSheet ??= sheetOf(loaded.panelStyle);
      this.#adoptSheets();
      this.#panel = loaded;
      if (this.#inbox && this.isConnected) this.#draw();
    }

    async #loadExtras() {
      const language = localeOf(this).replace(/^en-.*/, "en");
      const isFollowed = this.#unfollow || !(this.hasAttribute("title-badge") || this.hasAttribute("sound"));
      if (language === this.#language && isFollowed) return;
      this.#language = language;
      const { followElement, loadWords } = await loadExtras();
      if (this.isConnected) this.#unfollow ??= followElement(this);
      const words = await loadWords(language);
      if (language !== this.#language || words === this.#words) return;
      this.#words = words;
      this.#request(false);
    }

    #drawBell() {
      const counts = this.#inbox?.getState().counts ?? null;
      const render = this.#isInline() ? undefined : this.#slots.renderBell;
      if (this.#ownBell?.render !== render) {
        this.#ownBell?.remove();
        this.#ownBell = render ? { ...mountSlot(this, "bell", render, counts), render } : null;
      } else this.#ownBell?.update(counts);
      this.#bell.update(counts, this.#bellLabels());
      this.#markOwnBell();
    }

    /** A custom bell shows the count in its own way. */
    #markOwnBell = () => {
      const isOwn = this.#ownBell !== null && this.querySelector(':scope > [slot="bell"]') !== null;
      this.#bell.element.classList.toggle("own", isOwn);
    };

    #draw() {
      const inbox = this.#inbox!;
      void this.#loadExtras().catch(() => {
        // Without them the words are English. The next drawing tries again.
        this.#language = "";
      });
      const isInline = this.#isInline();
      if (isInline) this.#bell.element.remove();
      // Not moved if it is already in the tree: that would cancel a click between press and release.
      else if (!this.#bell.element.isConnected) this.#shadow.insertBefore(this.#bell.element, this.#place);
      this.#drawBell();
      if (!this.#panel && isInline) {
        const retry = () => setTimeout(() => this.isConnected && this.#draw(), reloadMs);
        return void this.#loadPanel().catch(retry);
      }
      this.#panel?.drawPanel({
        host: this,
        root: this.#place,
        inbox,
        isInline,
        tabs: this.tabs,
        labels: this.#labels,
        words: this.#words,
        slots: this.#slots,
        mountSlot,
        locale: localeOf(this),
        emit: this.#emit,
      });
    }
  };
}

/** The language of the nearest element that sets one, or the browser's. */
function localeOf(element: Element): string {
  const language = element.closest("[lang]")?.getAttribute("lang") || navigator.language;
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}

/** An attribute that is not JSON counts as absent. */
function readJson<T>(text: string | null): T | undefined {
  try {
    return text ? (JSON.parse(text) as T) : undefined;
  } catch {
    return undefined;
  }
}
