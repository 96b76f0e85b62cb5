// Features that a page enables with attributes, loaded separately from the bell: words of other languages, a count in
// the title of the tab, a sound.
import type { Inbox } from "../client/create-inbox.ts";
import { createSound } from "./sound.ts";
import { showInTitle } from "./title.ts";

export { loadWords } from "./load-words.ts";

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
