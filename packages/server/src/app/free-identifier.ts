// Identifiers made up for a caller: the name in kebab case, with a number when that is taken.
export function freeIdentifier(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  for (let number = 1; ; number++) {
    if (!taken.has(`${base}-${number}`)) return `${base}-${number}`;
  }
}
