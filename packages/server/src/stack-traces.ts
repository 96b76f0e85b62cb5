// Stack traces of the bundle, shown with the files and lines of the sources. Node's option --enable-source-maps adds a
// quarter to the time of a start, and keeps a table of 50 MB after the first stack. Here a start costs nothing, and the
// first stack up to 0.4 s: the map is decoded, and kept for a while. Errors come in bursts: when a database is lost,
// each query that fails has another stack, and decoding the map for each of them would block the process for a minute.
import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";

/** Counted from 1, as in a stack trace. */
type Place = { line: number; column: number };

/** Resolved places, as `<file>:<line>:<column>`: the same errors come again and again. */
const known = new Map<string, string>();
const maxKnown = 10_000;

const placePattern = /file:\S+?:\d+:\d+/g;

/** `bundle`: the folder of the bundle and its source maps. Stacks without a frame in it are left unchanged. */
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
    const map = keepMap(file);
    for (const part of own) known.set(part.place, (map && findOrigin(map, part, file)) ?? part.place);
  }
}

/** Null where the line has no entry before the column: Node would find the last entry of an earlier line. */
export function findOrigin(map: SourceMap, { line, column }: Place, file: string): string | null {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || !entry.originalSource || entry.generatedLine !== line - 1) return null;
  return `${new URL(entry.originalSource, file).href}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

function splitPlace(place: string): Place & { file: string } {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(place)!;
  return { file: file!, line: Number(line), column: Number(column) };
}

const maps = new Map<string, SourceMap | null>();
const keptMs = 30_000;
let forgetting: NodeJS.Timeout | null = null;

/** Forgotten when no new place has been seen for a while. */
function keepMap(file: string): SourceMap | null {
  forgetting ??= setTimeout(() => {
    maps.clear();
    forgetting = null;
  }, keptMs).unref();
  forgetting.refresh();
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file)!;
}

/** Null when the bundle was built again since this process started: the map of its files is gone. */
function readMap(file: string): SourceMap | null {
  try {
    return new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), "utf8")) as SourceMapPayload);
  } catch {
    return null;
  }
}
