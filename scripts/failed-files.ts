// A reporter of node's test runner: writes the names of the files that have a failed test, a line each, and a question
// mark for a failure that no file can be found for.
import { relative } from "node:path";

type TestEvent = {
  type: string;
  data: { name: string; file?: string; nesting: number; details: { error?: { failureType?: string } } };
};

export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  // Browser tests are declared by a helper, so their file is the one whose end comes next.
  let isOpen = false;
  for await (const { type, data } of events) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    const ended = data.nesting === 0 ? /^(?:end of|loading) (packages\/.*)$/.exec(data.name)?.[1] : undefined;
    const isFailure = type === "test:fail" && data.details.error?.failureType !== "subtestsFailed";
    const own = relative(".", data.file ?? "");
    if (ended !== undefined) {
      if (isOpen || isFailure) yield `${ended}\n`;
      isOpen = false;
    } else if (isFailure && data.name.endsWith(".test.ts")) {
      // A process of the runner that ended before its files did.
      yield "?\n";
    } else if (isFailure && /^packages\/.*\.test\.ts$/.test(own)) {
      yield `${own}\n`;
    } else if (isFailure) {
      isOpen = true;
    } else if (isOpen && data.name === "end of the lane") {
      yield "?\n";
      isOpen = false;
    }
  }
  if (isOpen) yield "?\n";
}
