// What is pasted: the structure of web pages and documents stays, their looks are left behind.
import { Plugin } from "prosemirror-state";

const maxPasted = 2_000_000;

/** Refuses what is too large, which a person would wait for in vain. */
export const pastePlugin = (refuse: () => void): Plugin =>
  new Plugin({
    props: {
      transformPastedHTML: cleanHtml,
      handlePaste(_view, event) {
        const sizes = ["text/html", "text/plain"].map((type) => event.clipboardData?.getData(type).length ?? 0);
        if (Math.max(...sizes) <= maxPasted) return false;
        refuse();
        return true;
      },
      handleDrop(_view, event) {
        if ((event.dataTransfer?.getData("text/html").length ?? 0) <= maxPasted) return false;
        refuse();
        return true;
      },
    },
  });

const styleOf = /\sstyle\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

/**
 * Replaces style attributes by what of them is kept: text programs write bold as a style. Comments and the style sheets
 * of Word are removed.
 */
export function cleanHtml(html: string): string {
  return withoutParts(html).replace(/<[a-z][^<>]*>/gi, (tag) => {
    let kept = "";
    const bare = tag.replace(styleOf, (_all, double = "", single = "") => {
      kept = keptStyles(`${double}${single}`);
      return "";
    });
    return kept === "" ? bare : bare.replace(/(?<!\s)\s*\/?>$/, ` data-style="${kept}">`);
  });
}

/** Cut by index: an expression over megabytes of hostile HTML could take minutes. */
function withoutParts(html: string): string {
  const lower = html.toLowerCase();
  const parts: [start: string, end: string][] = [
    ["<!--", "-->"],
    ["<style", "</style>"],
    ["<script", "</script>"],
    ["<o:p", "</o:p>"],
  ];
  let kept = "";
  let from = 0;
  // The fragment that browsers mark with comments stays: only the comment itself is cut.
  for (;;) {
    const next = parts
      .map(([start, end]) => ({ at: lower.indexOf(start, from), end }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (!next) return kept + html.slice(from);
    const close = lower.indexOf(next.end, next.at);
    kept += html.slice(from, next.at);
    if (close < 0) return kept;
    from = close + next.end.length;
  }
}

const looks: [name: string, found: RegExp][] = [
  ["bold", /font-weight\s*:\s*(?:bold|[6-9]00)/i],
  ["normal", /font-weight\s*:\s*(?:normal|[1-4]00)/i],
  ["italic", /font-style\s*:\s*italic/i],
  ["underline", /text-decoration[^;]*underline/i],
  ["strike", /text-decoration[^;]*line-through/i],
];

const keptStyles = (style: string): string =>
  looks
    .filter(([, found]) => found.test(style))
    .map(([name]) => name)
    .join(" ");
