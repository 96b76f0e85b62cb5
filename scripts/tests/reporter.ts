// A reporter of node's test runner. It prints what failed, with its error, and writes every result as a line of JSON:
// what the verdict reads (verdict.ts), and what a comparison of two runs reads (compare-names.ts).
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { inspect } from "node:util";

export type Result = {
  file: string;
  name: string;
  status: "passed" | "failed" | "skipped";
  ms: number;
  reason?: string;
};

type TestEvent = {
  type: string;
  data: {
    name: string;
    message: string;
    file?: string;
    nesting: number;
    skip?: boolean | string;
    details: { duration_ms: number; type?: string; error?: Error & { failureType?: string; cause?: unknown } };
  };
};

/** A result whose file is not known yet: the lane says it when the file ends. */
type Open = Omit<Result, "file"> & { own: string; text?: string };

/** What the lane adds to the tests of a file. */
const marks = /^(?:end of|loading) (\S+\.test\.ts)$/;
const endOfLane = "end of the lane";

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const open: Open[] = [];
  const path: string[] = [];
  let notes: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    if (type === "test:start") path.splice(data.nesting, Infinity, data.name);
    if (type === "test:diagnostic") notes.push(data.message);
    if (type !== "test:pass" && type !== "test:fail") continue;
    path.splice(data.nesting, Infinity, data.name);
    const result = resultOf(type, data, path.join(" > "), notes);
    notes = [];
    if (result) open.push(result);
    const ended = data.nesting === 0 && data.name.startsWith("end of") ? data.name : undefined;
    if (ended) yield* close(open.splice(0), marks.exec(ended)?.[1]);
  }
  yield* close(open);
}

function resultOf(type: string, data: TestEvent["data"], name: string, notes: string[]): Open | null {
  const { skip, details } = data;
  const isMark = data.nesting === 0 && (marks.test(data.name) || data.name === endOfLane);
  const base = { name, own: relative(".", data.file ?? ""), ms: details.duration_ms };
  if (type === "test:fail") {
    // Its subtests are reported as well.
    if (details.error?.failureType === "subtestsFailed") return null;
    const error = inspect(details.error?.cause ?? details.error, { colors: process.stdout.isTTY });
    return { ...base, status: "failed", text: [error, ...notes].join("\n") };
  }
  if (isMark || details.type === "suite") return null;
  if (skip === undefined || skip === false) return { ...base, status: "passed" };
  return { ...base, status: "skipped", reason: skip === true || skip === "" ? "no reason given" : skip };
}

/** Writes the results of a file, and prints those that failed. */
function* close(results: Open[], file?: string): Generator<string> {
  for (const { own, text, ...result } of results) {
    const place = file ?? (own.startsWith("packages/") ? own : "?");
    appendFileSync(process.env.TEST_RESULTS!, `${JSON.stringify({ file: place, ...result })}\n`);
    if (result.status === "failed") yield `\nFAILED  ${place}\n        ${result.name}\n\n${text}\n\n`;
  }
}
