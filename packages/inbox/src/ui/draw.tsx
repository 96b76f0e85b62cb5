// Draws the panel into the shadow tree of the element. The element loads this module when the panel is first needed.
import { render } from "preact";
import type { Inbox } from "../client/create-inbox.ts";
import type { InboxTab } from "../element-types.ts";
import type { mountSlot, Slots } from "../slots.ts";
import { App } from "./app.tsx";
import { templateRenderer } from "./items.ts";
import { englishLabels, type GivenLabels, type Labels, mergeLabels } from "./labels.ts";
import { panelStyle } from "./style.ts";

export type PanelOptions = {
  host: HTMLElement;
  root: Element;
  inbox: Inbox;
  labels: GivenLabels;
  /** Words of the language; null: the English ones. */
  words: Labels | null;
  tabs: InboxTab[];
  slots: Partial<Slots>;
  mountSlot: typeof mountSlot;
  locale: string;
  isInline: boolean;
  emit: (name: string, detail: unknown) => boolean;
};

export { panelStyle };

/** The values derived from the options of the last call, reused while the options stay the same. */
const kept = new WeakMap<Element, Kept>();
type Kept = Pick<PanelOptions, "inbox" | "labels" | "words" | "slots" | "locale"> & {
  made: { labels: Labels; slots: Partial<Slots> };
};

export function drawPanel(options: PanelOptions): void {
  const { host, root, inbox, labels, words, slots, locale, isInline } = options;
  let known = kept.get(root);
  const isSameSlots = known?.slots === slots && known.locale === locale;
  if (!known || !isSameSlots || known.inbox !== inbox || known.labels !== labels || known.words !== words) {
    const template = host.querySelector<HTMLTemplateElement>(':scope > template[slot="item"]');
    const renderItem = slots.renderItem ?? (template ? templateRenderer(template, locale) : undefined);
    const made = {
      // The English words of what is loaded later come with it; those of the page are among these.
      labels: { ...labels, ...mergeLabels({ ...englishLabels, ...words }, labels) } as Labels,
      // The function of a template stays the same one, so that rows are not created again when words change.
      slots: isSameSlots ? known!.made.slots : { ...slots, renderItem },
    };
    known = { inbox, labels, words, slots, locale, made };
    kept.set(root, known);
  }
  render(<App key={String(isInline)} {...options} {...known.made} />, root);
}

export const removePanel = (root: Element): void => render(null, root);
