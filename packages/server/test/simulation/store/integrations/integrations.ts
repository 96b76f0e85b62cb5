import type { HealthRow, IntegrationRow } from "../../../../src/store/integrations/integrations.ts";
import { statement } from "../../world/session.ts";

export * from "../../../../src/store/integrations/integrations.ts";

export const listIntegrations = statement("listIntegrations", (tx, _environmentId: string) =>
  tx.rows<IntegrationRow>("integrations"),
);

export const findIntegrationsByIds = statement("findIntegrationsByIds", (tx, _environmentId: string, ids: string[]) =>
  tx.where<IntegrationRow>("integrations", ({ id }) => ids.includes(id)),
);

export const findHealth = statement("findHealth", (tx, _environmentId: string, id: string) =>
  tx.get<HealthRow>("integration_health", id),
);
