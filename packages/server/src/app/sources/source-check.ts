// Whether the outbox of a source can be emptied: connects to its database, and says what is wrong and how to fix it.
import { countedOutboxRows, type SourceCheck } from "@tidings/contract";
import type { NetworkCtx } from "../../context.ts";
import { AddressRefusedError, HostUnresolvedError } from "../../lib/url-guard.ts";
import {
  connectionOf,
  inspectOutbox,
  type OutboxFindings,
  openSource,
  readAddress,
  type SourceConnection,
} from "../../store/sources/connection.ts";
import { measureOutbox, remoteOutbox } from "../../store/sources/outbox.ts";

const oldestVersion = 130_000;

/** `oldestAt`: of the rows that wait. */
export type CheckedOutbox = SourceCheck & { oldestAt?: Date | null };

export async function checkOutbox(ctx: NetworkCtx, url: string, schema: string): Promise<CheckedOutbox> {
  const refuse = (problem: string): SourceCheck => ({ isReady: false, problems: [problem] });
  const address = readAddress(url);
  if (!address) return refuse("url must be an address such as postgresql://user:password@host:5432/database");
  let connection: SourceConnection;
  try {
    connection = connectionOf(url, (await ctx.resolveHost(address.host)).address);
  } catch (error) {
    if (error instanceof AddressRefusedError || error instanceof HostUnresolvedError) return refuse(error.message);
    throw error;
  }
  const db = openSource(connection, () => {});
  try {
    const found = await inspectOutbox(db, schema);
    const problems = problemsOf(found, schema, address.user);
    const isReady = problems.length === 0;
    const measured = isReady ? await measureOutbox(db, remoteOutbox(schema), countedOutboxRows) : {};
    return { isReady, problems, serverVersion: found.version, ...measured };
  } catch (error) {
    // Never with the password: the driver names host, user and database only.
    return refuse(`The database could not be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await db.destroy().catch(() => {});
  }
}

function problemsOf(found: OutboxFindings, schema: string, user: string): string[] {
  const { versionNumber, version, isReadOnly, hasTable, missing, lacks } = found;
  if (versionNumber < oldestVersion) return [`PostgreSQL ${version} is too old: 13 or later is needed`];
  if (isReadOnly) return ["The database is read-only: use the address of the primary"];
  if (!hasTable) return [`There is no table ${schema}.outbox: run \`tidings outbox install\` on this database`];
  if (missing.length > 0)
    return [
      `${schema}.outbox lacks the columns ${missing.join(", ")}: correct it, or drop it and run \`tidings outbox install\``,
    ];
  if (lacks.length > 0)
    return [
      `The role ${user} lacks ${lacks.join(", ")} on ${schema}.outbox: ` +
        `grant usage on schema ${schema} to ${user}; grant select, update, delete on ${schema}.outbox to ${user}`,
    ];
  return [];
}
