// Two texts line by line, with what was removed and added.
export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

/** Beyond so many lines, a table of all pairs would be too large. */
const maxLines = 2_000;

function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  if (old.length > maxLines || fresh.length > maxLines)
    return [...toLines("removed", old.slice(0, 20)), ...toLines("added", fresh.slice(0, 20))];
  const lengths = commonLengths(old, fresh);
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length && b < fresh.length) {
    if (old[a] === fresh[b]) {
      lines.push({ kind: "same", text: old[a]! });
      a++;
      b++;
    } else if (lengths[a + 1]![b]! >= lengths[a]![b + 1]!) lines.push({ kind: "removed", text: old[a++]! });
    else lines.push({ kind: "added", text: fresh[b++]! });
  }
  return [...lines, ...toLines("removed", old.slice(a)), ...toLines("added", fresh.slice(b))];
}

const toLines = (kind: DiffLine["kind"], texts: string[]): DiffLine[] => texts.map((text) => ({ kind, text }));

/** `[a][b]`: how many lines the rests of the two texts have in common, from line a and line b on. */
function commonLengths(old: string[], fresh: string[]): Uint16Array[] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  for (let a = old.length - 1; a >= 0; a--)
    for (let b = fresh.length - 1; b >= 0; b--)
      lengths[a]![b] =
        old[a] === fresh[b] ? lengths[a + 1]![b + 1]! + 1 : Math.max(lengths[a + 1]![b]!, lengths[a]![b + 1]!);
  return lengths;
}

/** The changed lines with their neighbours. */
export function changedLines(before: string, after: string, around = 1): DiffLine[] {
  const lines = diffLines(before, after);
  return lines.filter((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ kind }) => kind !== "same"),
  );
}
