// Whether an environment has ever served an inbox: workflows with in-app steps say so in their issues.
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.ts";
import { markInboxConnected } from "../../store/environments/environments.ts";

// Reading a feed must not write every time: this process asks the database once per environment. Ids are unique across
// databases, so one cache can serve them all.
const known = new LRUCache<string, true>({ max: 10_000 });

export async function noteInboxConnected(ctx: Ctx, environmentId: string): Promise<void> {
  if (known.has(environmentId)) return;
  await markInboxConnected(ctx.db, environmentId, ctx.now());
  known.set(environmentId, true);
}
