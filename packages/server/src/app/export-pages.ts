// Exports are read page by page.
import type { Caller, NetworkCtx } from "../context.ts";
import type { Db } from "../store/db.ts";

/** Each page waits for its turn like any other read, and keeps no connection while the client reads slowly. */
export async function readPage<T>(
  { reads }: NetworkCtx,
  { environmentId }: Caller,
  read: (db: Db) => Promise<T>,
): Promise<T> {
  const release = await reads.slots.acquire(environmentId);
  try {
    return await reads.fromReplica(read);
  } finally {
    release();
  }
}
