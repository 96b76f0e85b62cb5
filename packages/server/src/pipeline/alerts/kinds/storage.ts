// Trouble that ends with a full disk: little space where the embedded database is, a database that refuses to write,
// chores of housekeeping that keep failing or do not run. A database on another machine has to be watched there.
import { statfs } from "node:fs/promises";
import type { Ctx } from "../../../context.ts";
import { findTroubledChores } from "../../../store/alerts/findings.batch.ts";
import type { AlertFacts } from "../../../store/tables.ts";
import type { AlertKind } from "../kind.ts";

const minute = 60_000;
/** A chore may fail now and then, because a lock or the connection was lost. */
const minTries = 5;
/** A long purge holds up the other chores. */
const lateMs = 120 * minute;

type Trouble = { id: string; code: string; facts: AlertFacts };

/** Free space of the embedded database in megabytes; null when the database is elsewhere. */
async function findFreeMegabytes({ config }: Ctx): Promise<number | null> {
  if (config.databaseUrl) return null;
  const { bavail, bsize } = await statfs(config.dataDir);
  return Math.floor((bavail * bsize) / 1024 ** 2);
}

async function findTroubles(ctx: Ctx, now: Date): Promise<Trouble[]> {
  const full: Trouble[] = ctx.faults.current().includes("disk_full")
    ? [{ id: "full", code: "disk_full", facts: {} }]
    : [];
  const before = new Date(now.getTime() - lateMs);
  const chores = (await findTroubledChores(ctx.db, { minTries, before })).map((row): Trouble => {
    const minutes = Math.floor((now.getTime() - row.due_at.getTime()) / minute);
    return {
      id: row.name,
      code: row.tries >= minTries ? "chore_failing" : "chore_late",
      facts: { chore: row.name, tries: row.tries, minutes },
    };
  });
  return [...full, ...chores];
}

export const storage: AlertKind<"storage"> = {
  async find(ctx, rules, now) {
    const freeMegabytes = await findFreeMegabytes(ctx);
    const troubles = await findTroubles(ctx, now);
    return rules.flatMap(({ id: ruleId, parameters }) => {
      const isLow = freeMegabytes !== null && freeMegabytes < parameters.freeMegabytes;
      const low: Trouble[] = isLow ? [{ id: "disk", code: "disk_low", facts: { freeMegabytes } }] : [];
      return [...low, ...troubles].map(({ id, code, facts }) => ({
        ruleId,
        subject: { type: "installation" as const, id, name: "This installation" },
        code,
        facts,
      }));
    });
  },
};
