import type { HealthRow } from "../../../../src/store/integrations/integrations.ts";
import { rowsStatement } from "../../world/session.ts";
import { world } from "../../world/world.ts";

export * from "../../../../src/store/integrations/breakers.batch.ts";

const table = "integration_health";

export const findHealthOfBatch = rowsStatement(
  "findHealthOfBatch",
  () => [],
  (tx, ids: string[]): HealthRow[] => tx.where<HealthRow>(table, (row) => ids.includes(row.integration_id)),
);

const untouched = {
  state: "closed",
  failures: 0,
  probes: 0,
  opened_at: null,
  next_probe_at: null,
  failing_since: null,
  last_error: null,
  last_error_class: null,
  last_error_at: null,
  last_success_at: null,
} as const;

export const lockHealth = rowsStatement(
  "lockHealth",
  () => [],
  async (tx, integrations: { id: string; environment_id: string }[], now: Date): Promise<HealthRow[]> => {
    const ids = integrations.map(({ id }) => id).sort();
    for (const { id, environment_id } of integrations.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
      await tx.insert(table, id, { ...untouched, integration_id: id, environment_id, updated_at: now });
    }
    return ids.flatMap((id) => tx.get<HealthRow>(table, id) ?? []);
  },
);

export const updateHealth = rowsStatement(
  "updateHealth",
  () => undefined,
  async (tx, rows: HealthRow[]): Promise<void> => {
    for (const row of rows) await tx.change<HealthRow>(table, row.integration_id, () => row);
  },
);

export const claimProbes = rowsStatement(
  "claimProbes",
  () => new Set<string>(),
  async (tx, ids: string[], now: Date, until: Date): Promise<Set<string>> => {
    const claimed = new Set<string>();
    for (const id of new Set(ids)) {
      // Rows that another transaction has locked are skipped.
      if (world().disk.isLocked(table, id) && !tx.locked.has(`${table} ${id}`)) continue;
      const row = await tx.change<HealthRow>(table, id, ({ state, next_probe_at }) => {
        if (state === "closed" || (next_probe_at && next_probe_at > now)) return undefined;
        return { state: "half_open", next_probe_at: until, updated_at: now };
      });
      if (row) claimed.add(id);
    }
    return claimed;
  },
);
