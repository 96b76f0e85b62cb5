// Looks up a few places in a source map (ECMA-426) in one pass over its text, without a table of all its entries: that of the server's
// bundle would have half a million.

/** The members of a source map that are read here. */
export type SourceMapText = { sources: string[]; mappings: string };

/** Counted from 1, as in a stack trace. */
export type Place = { line: number; column: number };

export type Origin = Place & { source: string };

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const digits = new Uint8Array(128);
for (const [value, letter] of [...alphabet].entries()) digits[letter.charCodeAt(0)] = value;

const [comma, semicolon] = [",".charCodeAt(0), ";".charCodeAt(0)];

/** For each place the nearest entry before it on its line; undefined where the line has none. */
export function findOrigins({ sources, mappings }: SourceMapText, places: Place[]): (Origin | undefined)[] {
  const found: (Origin | undefined)[] = places.map(() => undefined);
  const byLine = Map.groupBy(places.keys(), (index) => places[index]!.line);
  // An entry is one to five numbers: the column, source, line, column there, and a name. Each is the difference from the one before.
  const numbers = [0, 0, 0, 0, 0];
  let line = 1;
  let wanted = byLine.get(line);
  const endEntry = (count: number): void => {
    if (!wanted || count === 0) return;
    const origin = { source: sources[numbers[1]!]!, line: numbers[2]! + 1, column: numbers[3]! + 1 };
    for (const index of wanted) {
      if (numbers[0]! < places[index]!.column) found[index] = count > 1 ? origin : undefined;
    }
  };
  let [field, value, shift] = [0, 0, 0];
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at);
    if (code === comma || code === semicolon) {
      endEntry(field);
      field = 0;
      if (code === comma) continue;
      numbers[0] = 0;
      line += 1;
      wanted = byLine.get(line);
      continue;
    }
    // Five bits of a number, the lowest first; the sixth says that more follow. The lowest bit of the number is its sign.
    const digit = digits[code]!;
    value |= (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers[field]! += value & 1 ? -(value >>> 1) : value >>> 1;
    [value, shift] = [0, 0];
    field += 1;
  }
  endEntry(field);
  return found;
}
