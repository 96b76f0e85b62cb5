// The lines in which two texts differ, between their common beginning and end: enough to recognise a change in a plan.
const maxLines = 6;
const maxLineLength = 120;

export type DiffLine = { sign: "-" | "+"; text: string };

export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return [...linesOf("-", old.slice(start, old.length - end)), ...linesOf("+", now.slice(start, now.length - end))];
}

function linesOf(sign: DiffLine["sign"], lines: string[]): DiffLine[] {
  const cut = (text: string) => (text.length > maxLineLength ? `${text.slice(0, maxLineLength - 1)}…` : text);
  const shown = lines.slice(0, maxLines).map((text) => ({ sign, text: cut(text) }));
  return lines.length > maxLines ? [...shown, { sign, text: `… ${lines.length - maxLines} more lines` }] : shown;
}
