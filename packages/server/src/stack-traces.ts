// Stack traces of the bundle, shown with the files and lines of the sources. Node's own option --enable-source-maps adds a
// quarter to the time of a start, and keeps a table of 50 MB after the first stack. Here a start costs nothing, and a stack 0.1 s when it
// is seen for the first time, because only the wanted places of a map are decoded.
import { readFileSync } from "node:fs";
import { findOrigins, type Place, type SourceMapText } from "./lib/source-map.ts";

/** Places that were looked up, as `<file>:<line>:<column>`: the same errors come again and again. */
const known = new Map<string, string>();
const maxKnown = 10_000;

const placePattern = /file:\S+?:\d+:\d+/g;

/** `bundle`: the folder of the bundle and its source maps. Stacks without a frame in it are left as they are. */
export function showSourcesInStacks(bundle: URL): void {
  Error.prepareStackTrace = (error, frames) => {
    // As Node writes it.
    const text = [Error.prototype.toString.call(error), ...frames].join("\n    at ");
    const places = new Set(text.match(placePattern)?.filter((place) => place.startsWith(bundle.href)));
    learnPlaces([...places].filter((place) => !known.has(place)));
    return text.replaceAll(placePattern, (place) => known.get(place) ?? place);
  };
}

function learnPlaces(places: string[]): void {
  if (known.size + places.length > maxKnown) known.clear();
  const parts = places.map((place) => ({ place, ...splitPlace(place) }));
  for (const [file, own] of Map.groupBy(parts, (part) => part.file)) {
    const map = readMap(file);
    const origins = map ? findOrigins(map, own) : [];
    for (const [index, { place }] of own.entries()) {
      const origin = origins[index];
      known.set(place, origin ? `${new URL(origin.source, file).href}:${origin.line}:${origin.column}` : place);
    }
  }
}

function splitPlace(place: string): Place & { file: string } {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)!;
  return { file: file!, line: Number(line), column: Number(column) };
}

/** Null when the bundle was built again since this process started: the map of its files is gone. */
function readMap(file: string): SourceMapText | null {
  try {
    return JSON.parse(readFileSync(new URL(`${file}.map`), "utf8")) as SourceMapText;
  } catch {
    return null;
  }
}
