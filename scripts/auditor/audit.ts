// One audit: reads the evidence, checks every promise, and writes audit.json.
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Audit, files } from "./evidence.ts";
import { createJudge } from "./judge.ts";
import { promises } from "./promises.ts";
import { openWorld, type Sources, type World } from "./world.ts";

/** Throws EvidenceError if the evidence cannot be used. */
export async function audit(sources: Sources): Promise<Audit> {
  const world = await openWorld(sources);
  try {
    const verdicts = [];
    for (const promise of promises) {
      const { judge, end } = createJudge(promise, world.faults);
      await promise.check(world, judge);
      verdicts.push(end());
    }
    const found: Audit = { at: Date.now(), seed: world.run.seed, verdicts, figures: readFigures(world) };
    await save(sources.folder, found);
    return found;
  } finally {
    await world.database?.close();
  }
}

/** The database is usually gone after the run: an audit that read its rows is not replaced by one without them. */
async function save(folder: string, found: Audit): Promise<void> {
  const path = join(folder, files.audit);
  const before = existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as Audit) : undefined;
  if (before?.figures.rows !== undefined && found.figures.rows === undefined) return;
  await writeFile(path, `${JSON.stringify(found, null, 2)}\n`);
}

/** What the report says about the size of the run. */
function readFigures({ ledger, streams, deliveries, faults, finals, rows, lines }: World): Record<string, number> {
  const events = [...ledger.events.values()];
  const outcomes = (wanted: string) => events.filter(({ outcome }) => outcome === wanted).length;
  const inboxes = [...streams.inboxes.values()];
  const letters = [...(rows?.messages.values() ?? [])].filter(({ hasDeadLetter }) => hasDeadLetter).length;
  return {
    lines,
    calls: ledger.calls,
    accepted: outcomes("accepted"),
    refused: outcomes("refused"),
    unknown: outcomes("unknown"),
    repeatedRequests: ledger.repeatedRequests,
    liveInboxes: inboxes.length,
    reconnections: inboxes.reduce((sum, { connections }) => sum + Math.max(0, connections - 1), 0),
    streamed: inboxes.reduce((sum, { messages }) => sum + messages.size, 0),
    deliveries: deliveries.count,
    repeatedDeliveries: deliveries.count - deliveries.messages.size,
    inboxMessages: [...finals.inboxes.values()].reduce((sum, { messages }) => sum + messages.length, 0),
    explanations: finals.explanations.length,
    faults: faults.filter(({ problem }) => !problem).length,
    faultKinds: new Set(faults.filter(({ problem }) => !problem).map(({ fault }) => fault)).size,
    ...(rows && { deadLetters: letters, rows: rows.events.size + rows.messages.size }),
  };
}

export const isBroken = ({ verdicts }: Pick<Audit, "verdicts">): boolean =>
  verdicts.some(({ brokenCount }) => brokenCount > 0);
