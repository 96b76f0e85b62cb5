// Asks before a change in production.
import { createInterface } from "node:readline/promises";
import { CliError } from "./failure.ts";
import type { Io } from "./io.ts";
import { plainText } from "./output.ts";

export async function confirmChange(io: Io, change: string): Promise<void> {
  // It names an environment: a name must not be able to rewrite the question.
  const question = plainText(change).replace(/\s+/g, " ");
  if (!io.stdin.isTTY) throw new CliError(`${question}: this needs a confirmation.`, { fix: "Add --yes." });
  const asked = createInterface({ input: io.stdin, output: io.stderr });
  try {
    const answer = await asked.question(`${question}? Type "yes" to continue: `, { signal: io.signal });
    if (answer.trim().toLowerCase() !== "yes") throw new CliError("Nothing was changed.");
  } finally {
    asked.close();
  }
}
