// Draws the panel into the shadow tree of the element. The element loads this module when the panel is first needed.
import { render } from "preact";
import type { Inbox } from "../client/create-inbox.ts";
import { App } from "./app.tsx";
import { createItemMounter, type ItemRenderer, templateRenderer } from "./items.ts";
import { englishLabels, type Labels, mergeLabels } from "./labels.ts";
import { panelStyle } from "./style.ts";
import type { InboxTab } from "./ui.ts";

export type PanelOptions = {
  host: HTMLElement;
  root: Element;
  inbox: Inbox;
  labels: Partial<Labels>;
  /** Of the language; null: the English ones. */
  words: Labels | null;
  tabs: InboxTab[];
  renderItem: ItemRenderer | null;
  locale: string;
  isInline: boolean;
  emit: (name: string, detail: unknown) => boolean;
  restart: () => void;
};

export { panelStyle };

/** What was made for the options of the last call, and is used again while they are the same. */
const kept = new WeakMap<Element, Pick<PanelOptions, "inbox" | "renderItem" | "labels" | "words"> & { made: Made }>();
type Made = { labels: Labels; mountItem: ReturnType<typeof createItemMounter> | null };

export function drawPanel(options: PanelOptions): void {
  const { host, root, inbox, labels, words, renderItem, locale, isInline } = options;
  let known = kept.get(root);
  if (known?.inbox !== inbox || known.renderItem !== renderItem || known.labels !== labels || known.words !== words) {
    const template = host.querySelector<HTMLTemplateElement>(':scope > template[slot="item"]');
    const renderer = renderItem ?? (template && templateRenderer(template, locale));
    // The English words of what is loaded later come with it; those of the page are among these.
    const made = {
      labels: { ...labels, ...mergeLabels({ ...englishLabels, ...words }, labels) } as Labels,
      mountItem: renderer && createItemMounter(host, renderer),
    };
    known = { inbox, renderItem, labels, words, made };
    kept.set(root, known);
  }
  render(<App key={String(isInline)} {...options} {...known.made} />, root);
}

export const removePanel = (root: Element): void => render(null, root);
