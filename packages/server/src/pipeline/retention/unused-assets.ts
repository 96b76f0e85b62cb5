// Deletes uploaded images that no document contains and no request has loaded for half a year. An image that is found
// in a document is marked, and is examined again half a year later.
import type { Ctx } from "../../context.ts";
import {
  deleteAgedAssets,
  documentsWithImages,
  findAgedAssets,
  findMentionedHashes,
  type MentionPage,
  markFoundAssets,
} from "../../store/installation/unused-assets.ts";

const unusedAssetMs = 180 * 24 * 3_600_000;

/** Images that one run examines, and documents that one statement reads. */
const maxExamined = 5_000;
const documentsPerPage = 500;
/** Few in a statement: each has up to 5 MB. */
const deletedPerStatement = 50;

export async function purgeUnusedAssets(ctx: Pick<Ctx, "db" | "log" | "now">): Promise<void> {
  const { db } = ctx;
  const now = ctx.now();
  const before = new Date(now.getTime() - unusedAssetMs);
  const aged = await findAgedAssets(db, before, maxExamined);
  if (aged.length === 0) return;
  const mentioned = await findMentioned(db, new Set(aged.map(({ hash }) => hash)));
  const { found = [], unused = [] } = Object.groupBy(aged, ({ hash }) => (mentioned.has(hash) ? "found" : "unused"));
  await markFoundAssets(
    db,
    found.map(({ id }) => id),
    now,
  );
  let deleted = 0;
  for (let at = 0; at < unused.length; at += deletedPerStatement) {
    const ids = unused.slice(at, at + deletedPerStatement).map(({ id }) => id);
    deleted += await deleteAgedAssets(db, ids, before);
  }
  if (deleted > 0) ctx.log.info({ deleted }, "unused images deleted");
}

/** Those of the hashes that some document contains. */
async function findMentioned(db: Ctx["db"], hashes: ReadonlySet<string>): Promise<Set<string>> {
  const mentioned = new Set<string>();
  for (const table of documentsWithImages) {
    let after: MentionPage["next"] = null;
    do {
      const page: MentionPage = await findMentionedHashes(db, table, { after, limit: documentsPerPage });
      for (const hash of page.hashes) if (hashes.has(hash)) mentioned.add(hash);
      after = page.next;
    } while (after !== null && mentioned.size < hashes.size);
  }
  return mentioned;
}
