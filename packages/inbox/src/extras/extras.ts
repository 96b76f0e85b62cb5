// Features that a page enables with attributes, loaded separately from the bell: words of other languages, a count in
// the title of the tab, a sound.
import type { Inbox } from "../client/create-inbox.ts";
import type { Labels } from "../ui/labels.ts";
import { createSound } from "./sound.ts";
import { showInTitle } from "./title.ts";

const words: Record<string, () => Promise<{ default: Labels }>> = {
  ar: () => import("../words/ar.ts"),
  cs: () => import("../words/cs.ts"),
  da: () => import("../words/da.ts"),
  de: () => import("../words/de.ts"),
  es: () => import("../words/es.ts"),
  fi: () => import("../words/fi.ts"),
  fr: () => import("../words/fr.ts"),
  he: () => import("../words/he.ts"),
  hu: () => import("../words/hu.ts"),
  it: () => import("../words/it.ts"),
  ja: () => import("../words/ja.ts"),
  ko: () => import("../words/ko.ts"),
  nb: () => import("../words/nb.ts"),
  nl: () => import("../words/nl.ts"),
  pl: () => import("../words/pl.ts"),
  pt: () => import("../words/pt.ts"),
  ro: () => import("../words/ro.ts"),
  ru: () => import("../words/ru.ts"),
  sk: () => import("../words/sk.ts"),
  sv: () => import("../words/sv.ts"),
  tr: () => import("../words/tr.ts"),
  uk: () => import("../words/uk.ts"),
  "pt-br": () => import("../words/pt-br.ts"),
  "zh-cn": () => import("../words/zh-cn.ts"),
  "zh-tw": () => import("../words/zh-tw.ts"),
};

/** Other names of the same languages, and the script that a region reads. */
const aliases: [RegExp, string][] = [
  [/^zh-.*(hant|tw|hk|mo)/, "zh-tw"],
  [/^zh/, "zh-cn"],
  [/^n[on]\b/, "nb"],
  [/^iw\b/, "he"],
];

/** Null for languages without their own words, which get the English ones. */
export async function loadWords(locale: string): Promise<Labels | null> {
  const name = locale.toLowerCase();
  const known = aliases.find(([pattern]) => pattern.test(name))?.[1] ?? name;
  const load = words[known] ?? words[known.split("-")[0]!];
  return load ? (await load()).default : null;
}

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
