// Email integrations that an alert may be sent through.
import { sql } from "kysely";
import type { Db } from "../db.ts";

export type MailRoute = {
  id: string;
  environment_id: string;
  identifier: string;
  provider_id: string;
  credentials: string | null;
};

const maxRoutes = 50;

/**
 * The active email integrations of the organisation that work: closed circuit, and no failure since the last success.
 * Those of the environment first, then those without conditions, the primary one first. Mailboxes send nothing.
 */
export async function findMailRoutes(db: Db, environmentId: string, organizationId: string): Promise<MailRoute[]> {
  const { rows } = await sql<MailRoute>`
    select i.id, i.environment_id, i.identifier, i.provider_id, i.credentials
    from integrations i join environments e on e.id = i.environment_id
    left join integration_health h on h.integration_id = i.id
    where e.organization_id = ${organizationId} and e.deleted_at is null and i.deleted_at is null and i.active
      and i.channel = 'email' and i.provider_id <> 'svc-email'
      and coalesce(h.state, 'closed') = 'closed' and h.failing_since is null
    order by i.environment_id = ${environmentId} desc, i.conditions = '[]' desc, i.is_primary desc, i.id
    limit ${maxRoutes}`.execute(db);
  return rows;
}
