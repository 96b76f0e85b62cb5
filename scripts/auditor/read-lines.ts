// Reads a file of JSON lines as a stream: a long run has millions of them. A line that cannot be read makes the whole
// evidence unusable: what it would have proved is not known.
import { createReadStream } from "node:fs";
import { basename } from "node:path";

/** Missing or broken evidence: nothing can be said about the promises. */
export class EvidenceError extends Error {}

const chunkBytes = 1 << 20;
/** The longest line is a final with all messages of an inbox. */
const maxLineCharacters = 256 * 1024 * 1024;

type Members = Record<string, "string" | "number" | "boolean" | "object">;

/** Calls `onLine` with each line. `members`: those that every line has, with their types. */
export async function readLines<T>(path: string, members: Members, onLine: (line: T) => void): Promise<number> {
  const wanted = Object.entries(members);
  let number = 0;
  let rest = "";
  const take = (text: string) => {
    number++;
    onLine(parseLine<T>(text, wanted, `${basename(path)}, line ${number}`));
  };
  try {
    for await (const chunk of createReadStream(path, { encoding: "utf8", highWaterMark: chunkBytes })) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      if (rest.length > maxLineCharacters) throw new EvidenceError(`${basename(path)} has a line without an end`);
      for (const line of lines) take(line);
    }
  } catch (error) {
    if (error instanceof EvidenceError) throw error;
    throw new EvidenceError(`${basename(path)} cannot be read: ${(error as Error).message}`);
  }
  if (rest !== "") throw new EvidenceError(`${basename(path)} ends in the middle of line ${number + 1}`);
  return number;
}

function parseLine<T>(text: string, wanted: [string, string][], place: string): T {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new EvidenceError(`${place} is not JSON: ${text.slice(0, 80)}`);
  }
  if (typeof parsed !== "object" || parsed === null) throw new EvidenceError(`${place} is not an object`);
  for (const [name, type] of wanted) {
    const value = (parsed as Record<string, unknown>)[name];
    if (typeof value !== type) throw new EvidenceError(`${place}: "${name}" is missing, or not a ${type}`);
  }
  return parsed as T;
}
