// Search of one text in another in linear time. The search of the JavaScript engine takes quadratic time on repetitive
// texts: 160 KB in 340 KB took 23 s. Each search charges its work.
import { charge } from "../work.ts";

/** Up to this length the engine's own search is used: in the worst case it is slower by this factor. */
const shortPart = 32;

const chargeSearch = (text: string, part: string): void =>
  charge(part.length <= shortPart ? (text.length * part.length) / 16 : text.length + part.length);

/** The failure function of Knuth, Morris and Pratt: the longest prefix of the part that ends at each index. */
function overlapsOf(part: string): Int32Array {
  const overlaps = new Int32Array(part.length);
  let matched = 0;
  for (let index = 1; index < part.length; index++) {
    while (matched > 0 && part.charCodeAt(matched) !== part.charCodeAt(index)) matched = overlaps[matched - 1]!;
    if (part.charCodeAt(matched) === part.charCodeAt(index)) matched++;
    overlaps[index] = matched;
  }
  return overlaps;
}

/** Calls `found` with each index of the part in order, also overlapping ones, until it returns true. */
function scan(text: string, part: string, found: (index: number) => boolean): void {
  const overlaps = overlapsOf(part);
  let matched = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = overlaps[matched - 1]!;
    if (part.charCodeAt(matched) === code) matched++;
    if (matched < part.length) continue;
    if (found(index - matched + 1)) return;
    matched = overlaps[matched - 1]!;
  }
}

/** Like `indexOf`. */
export function indexIn(text: string, part: string): number {
  chargeSearch(text, part);
  if (part.length <= shortPart) return text.indexOf(part);
  let first = -1;
  scan(text, part, (index) => {
    first = index;
    return true;
  });
  return first;
}

/** Like `lastIndexOf`. */
export function lastIndexIn(text: string, part: string): number {
  chargeSearch(text, part);
  if (part.length <= shortPart) return text.lastIndexOf(part);
  let last = -1;
  scan(text, part, (index) => {
    last = index;
    return false;
  });
  return last;
}

/** Like `split`. */
export function splitText(text: string, part: string): string[] {
  chargeSearch(text, part);
  if (part.length <= shortPart) {
    charge(text.length / Math.max(1, part.length));
    return text.split(part);
  }
  const pieces: string[] = [];
  let from = 0;
  scan(text, part, (index) => {
    if (index < from) return false;
    pieces.push(text.slice(from, index));
    from = index + part.length;
    return false;
  });
  return [...pieces, text.slice(from)];
}
