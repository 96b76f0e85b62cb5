// Two texts compared line by line. Pure.
export type DiffLine = { kind: "same" | "added" | "removed" | "gap"; text: string };

/** Beyond this, the texts are shown whole: the table below would be too large. */
const maxLines = 400;
/** Lines without a change that are kept around one. */
const around = 2;

export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before === "" ? [] : before.split("\n");
  const fresh = after === "" ? [] : after.split("\n");
  if (old.length > maxLines || fresh.length > maxLines) return [...mark(old, "removed"), ...mark(fresh, "added")];
  // lengths[i][j]: lines that old from i and fresh from j have in common, in order.
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      lengths[i]![j] =
        old[i] === fresh[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ kind: "same", text: old[i]! });
      i++;
      j++;
    } else if (j >= fresh.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push({ kind: "removed", text: old[i++]! });
    else lines.push({ kind: "added", text: fresh[j++]! });
  }
  return withGaps(lines);
}

const mark = (lines: string[], kind: DiffLine["kind"]): DiffLine[] => lines.map((text) => ({ kind, text }));

/** Long stretches without a change become one line. */
function withGaps(lines: DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - around), index + around + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line];
    return isNear[index - 1] === false ? [] : [{ kind: "gap" as const, text: "…" }];
  });
}
