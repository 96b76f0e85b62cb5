// Features that a page enables with attributes, loaded separately from the bell: words of other languages, a count in
// the title of the tab, a sound.
import type { Inbox } from "../client/create-inbox.ts";
import type { Labels } from "../ui/labels.ts";
import { createSound } from "./sound.ts";
import { showInTitle } from "./title.ts";

const words: Record<string, () => Promise<{ default: Labels }>> = {
  ar: () => import("../words/ar.ts"),
  de: () => import("../words/de.ts"),
  es: () => import("../words/es.ts"),
  fr: () => import("../words/fr.ts"),
  it: () => import("../words/it.ts"),
  ja: () => import("../words/ja.ts"),
  nl: () => import("../words/nl.ts"),
  pl: () => import("../words/pl.ts"),
  pt: () => import("../words/pt.ts"),
};

/** Null for languages without their own words, which get the English ones. */
export const loadWords = async (language: string): Promise<Labels | null> =>
  (await words[language]?.())?.default ?? null;

/** Shows an element's count and plays its sound as its attributes specify, until the returned function is called. */
export function followElement(host: HTMLElement & { inbox: Inbox | null }): () => void {
  const sound = createSound(host);
  const update = () =>
    showInTitle(host, host.hasAttribute("title-badge") ? (host.inbox?.getState().counts?.total ?? 0) : 0);
  const play = (event: Event) => {
    if (event.target === host) sound.play((event as CustomEvent<{ id: string }>).detail.id);
  };
  host.addEventListener("counts", update);
  host.addEventListener("notification", play);
  const attributes = new MutationObserver(update);
  attributes.observe(host, { attributeFilter: ["title-badge"] });
  update();
  return () => {
    host.removeEventListener("counts", update);
    host.removeEventListener("notification", play);
    attributes.disconnect();
    showInTitle(host, 0);
  };
}
