import type { Grant, GrantRequest } from "../../../../src/store/events/throttles.batch.ts";
import { rowsStatement } from "../../world/session.ts";
import { keyOf } from "../rows.ts";

export * from "../../../../src/store/events/throttles.batch.ts";

type ThrottleWindow = { until: Date; granted: number };

export const takeGrants = rowsStatement(
  "takeGrants",
  () => [],
  async (tx, requests: GrantRequest[]): Promise<Grant[]> => {
    const grants: Grant[] = [];
    const keyed = requests.map((request) => ({ request, key: keyOf("throttle_windows", request) }));
    for (const { request, key } of keyed.sort((a, b) => (a.key < b.key ? -1 : 1))) {
      const { until, threshold, wanted, now, ...group } = request;
      await tx.insert("throttle_windows", key, { ...group, until, granted: 0 });
      const row = tx.get<ThrottleWindow>("throttle_windows", key)!;
      const isOver = row.until <= now || row.granted === 0;
      const before = isOver ? 0 : row.granted;
      const next = {
        until: isOver ? until : row.until,
        granted: Math.max(before, Math.min(threshold, before + wanted)),
      };
      tx.put("throttle_windows", key, { ...group, ...next });
      grants.push({ ...group, ...next, before });
    }
    return grants;
  },
);
