// The auditor: `node scripts/auditor/run.ts <folder> [--database <url>] [--json]` compares the evidence of a chaos run
// with the promises of docs/promises.md. Exit code 1: a promise is broken. 2: the evidence cannot be used.
import { parseArgs } from "node:util";
import { audit, isBroken } from "./audit.ts";
import { describeAudit } from "./print.ts";
import { EvidenceError } from "./read-lines.ts";

const usage = "usage: node scripts/auditor/run.ts <folder of the evidence> [--database <url>] [--json]";

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { database: { type: "string" }, json: { type: "boolean" } },
  });
  const [folder] = positionals;
  if (!folder || positionals.length > 1) throw new EvidenceError(usage);
  const found = await audit({ folder, databaseUrl: values.database });
  console.log(values.json ? JSON.stringify(found, null, 2) : describeAudit(found));
  process.exitCode = isBroken(found) ? 1 : 0;
} catch (error) {
  const isExpected = error instanceof EvidenceError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  console.error(isExpected ? (error as Error).message : error);
  process.exitCode = 2;
}
