// The unread count in front of the page's title: "(3) Customer". A page that changes its title keeps the count, and the
// title is restored when nothing is unread.
import { badgeText } from "../ui/bell-labels.ts";

const counts = new Map<object, number>();
let prefix = "";
let observer: MutationObserver | null = null;

/** The count of one element. With several, the largest is shown: they mostly have the same inbox. */
export function showInTitle(owner: object, count: number): void {
  if (count > 0) counts.set(owner, count);
  else counts.delete(owner);
  const largest = Math.max(0, ...counts.values());
  const own = readTitle();
  prefix = largest > 0 ? `(${badgeText(largest)}) ` : "";
  write(own);
  if (prefix && !observer) {
    observer = new MutationObserver(() => write(readTitle()));
    // The title element itself may be replaced.
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
  } else if (!prefix) {
    observer?.disconnect();
    observer = null;
  }
}

/** The title of the page without what was put before it. */
const readTitle = (): string =>
  prefix && document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title;

function write(own: string): void {
  const wanted = prefix + own;
  if (document.title !== wanted) document.title = wanted;
}
