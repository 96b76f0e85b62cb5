// Endpoints and connections for delivery, for many recipients and integrations at once. Those with exactly the contexts
// of the recipient's event win, those without contexts are the fallback, and those with other contexts are not used.
import { type Selectable, sql } from "kysely";
import { rowsOf } from "../bulk.ts";
import type { Db } from "../db.ts";
import type { Tables } from "../tables.ts";
/** One recipient: the subscriber's internal id, and the context keys of the event, sorted. */
export type ChannelRecipient = { subscriberId: string; contextKeys: string[] };

type EndpointColumns = Selectable<Tables["channel_endpoints"]>;
type ConnectionColumns = Selectable<Tables["channel_connections"]>;

/** `recipient`: position in the list of recipients given. */
export type TargetEndpoint = Pick<
  EndpointColumns,
  "id" | "identifier" | "integration_id" | "connection_id" | "type" | "endpoint"
> & { recipient: number };

/** `auth` is encrypted, as the connection stores it. */
export type TargetConnection = Pick<
  ConnectionColumns,
  "id" | "identifier" | "integration_id" | "workspace" | "auth"
> & {
  recipient: number;
};

const recipientColumns = { n: "integer", subscriber_id: "uuid", context_keys: "text[]" };

const recipientRows = (recipients: readonly ChannelRecipient[]) =>
  rowsOf(
    "w",
    recipientColumns,
    recipients.map(({ subscriberId, contextKeys }, n) => ({
      n,
      subscriber_id: subscriberId,
      context_keys: contextKeys,
    })),
  );

/**
 * All endpoints of each recipient for each integration: those with exactly the recipient's contexts, or, when there are
 * none, those without contexts.
 */
export async function findTargetEndpoints(
  db: Db,
  environmentId: string,
  integrationIds: readonly string[],
  recipients: readonly ChannelRecipient[],
): Promise<TargetEndpoint[]> {
  if (integrationIds.length === 0 || recipients.length === 0) return [];
  const { rows } = await sql<TargetEndpoint>`
    select recipient, id, identifier, integration_id, connection_id, type, endpoint
    from (
      select w.n as recipient, e.id, e.identifier, e.integration_id, e.connection_id, e.type, e.endpoint,
        rank() over (partition by w.n, e.integration_id order by (e.context_keys = w.context_keys) desc) as choice
      from ${recipientRows(recipients)}
      join channel_endpoints e
        on e.subscriber_id = w.subscriber_id and (e.context_keys = w.context_keys or e.context_keys = '{}')
      where e.environment_id = ${environmentId} and e.integration_id = any(${[...integrationIds]}::uuid[])
    ) as found
    where choice = 1
    order by recipient, integration_id, id`.execute(db);
  return rows;
}

/**
 * The one connection of each recipient for each of the integrations, for endpoints that name none: with the recipient's
 * contexts first and without context second; in either case the subscriber's own before one that all share, and the
 * newest of several.
 */
export async function findTargetConnections(
  db: Db,
  environmentId: string,
  integrationIds: readonly string[],
  recipients: readonly ChannelRecipient[],
): Promise<TargetConnection[]> {
  if (integrationIds.length === 0 || recipients.length === 0) return [];
  const { rows } = await sql<TargetConnection>`
    select w.n as recipient, c.id, c.identifier, c.integration_id, c.workspace, c.auth
    from ${recipientRows(recipients)}
    cross join unnest(${[...integrationIds]}::uuid[]) as wanted(integration_id)
    cross join lateral (
      select * from (
        (select * from channel_connections own
          where own.environment_id = ${environmentId} and own.integration_id = wanted.integration_id
            and own.subscriber_id = w.subscriber_id
            and (own.context_keys = w.context_keys or own.context_keys = '{}')
          order by (own.context_keys = w.context_keys) desc, own.id desc limit 1)
        union all
        (select * from channel_connections shared
          where shared.environment_id = ${environmentId} and shared.integration_id = wanted.integration_id
            and shared.subscriber_id is null
            and (shared.context_keys = w.context_keys or shared.context_keys = '{}')
          order by (shared.context_keys = w.context_keys) desc, shared.id desc limit 1)
      ) as candidates
      order by (context_keys = w.context_keys) desc, (subscriber_id is null), id desc limit 1
    ) as c
    order by w.n, c.integration_id`.execute(db);
  return rows;
}
