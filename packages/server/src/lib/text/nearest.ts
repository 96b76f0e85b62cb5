// The name that was probably meant by a misspelt one.

/** Insertions, deletions, other characters, and two neighbours in the wrong order. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}

export const nearestName = (name: string, candidates: readonly string[]): string =>
  candidates.reduce((best, next) => (editDistance(name, next) < editDistance(name, best) ? next : best));

const maxNameLength = 60;

/** Null when nothing is near: a third of the letters may differ. */
export function suggestName(name: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0 || name.length > maxNameLength) return null;
  const nearest = nearestName(name, candidates);
  return editDistance(name, nearest) <= Math.max(1, Math.floor(name.length / 3)) ? nearest : null;
}

/** For the end of "… is not a known member". */
export function describeKnown(name: string, known: readonly string[]): string {
  const meant = suggestName(name, known);
  if (meant) return `; did you mean ${meant}?`;
  return known.length > 0 ? `; known are ${known.join(", ")}` : "";
}
