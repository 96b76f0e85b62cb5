import type { ActiveIntegration } from "../../../../src/store/integrations/integrations.batch.ts";
import type { IntegrationRow } from "../../../../src/store/integrations/integrations.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/integrations/integrations.batch.ts";

const environment = { link_schemes: [], brand: null, pages_url: null, variables_version: 0, attention: null };

const findActive = statement(
  "findActiveIntegrationsOfBatch",
  (tx, _environmentIds: string[], channels: string[]): ActiveIntegration[] =>
    tx
      .where<IntegrationRow>("integrations", ({ active, channel }) => active && channels.includes(channel))
      .sort((a, b) => Number(b.is_primary) - Number(a.is_primary) || b.priority - a.priority)
      .map((row) => ({ ...row, ...environment })),
);

export const findActiveIntegrationsOfBatch: typeof findActive = async (db, environmentIds, channels) =>
  environmentIds.length === 0 || channels.length === 0 ? [] : findActive(db, environmentIds, channels);

const findAll = statement("findIntegrationsOfBatch", (tx, ids: string[]) =>
  tx.where<IntegrationRow>("integrations", ({ id }) => ids.includes(id)),
);

export const findIntegrationsOfBatch: typeof findAll = async (db, ids) => (ids.length === 0 ? [] : findAll(db, ids));
