// The outbox that `tidings outbox install` creates in a customer's own database: a table and functions, no triggers, no
// extensions. It is one transaction and may be applied again: rows that wait stay.

export const defaultOutboxSchema = "tidings";

/** Columns and their types, as PostgreSQL writes them. */
export const outboxColumns = {
  id: "bigint",
  transaction_id: "text",
  kind: "text",
  key: "text",
  body: "jsonb",
  created_at: "timestamp with time zone",
};

/** `app`: roles that trigger events. `relay`: the role that the service connects as. */
export type OutboxRoles = { app?: readonly string[]; relay?: string };

/** An identifier in SQL, whatever the name is. */
export const quoteSqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The default needs no quotes, and without them the file is easier to read. */
const schemaName = (schema: string): string => (schema === defaultOutboxSchema ? schema : quoteSqlName(schema));

/** What an application calls. */
const calledFunctions = [
  "trigger(text, jsonb, jsonb, jsonb)",
  "trigger(text, text, jsonb, jsonb)",
  "cancel(text)",
  "upsert_subscriber(text, jsonb)",
];
/** All functions of the outbox with their arguments, as `grant` and `drop` name them. */
export const outboxFunctions = (schema: string): string[] =>
  [...calledFunctions, "add_to_outbox(text, text, text, jsonb)"].map((one) => `${schemaName(schema)}.${one}`);

const grantToApp = (schema: string, roles: string): string => `-- Roles that trigger events.
grant usage on schema ${schemaName(schema)} to ${roles};
grant execute on function
  ${calledFunctions.map((one) => `${schemaName(schema)}.${one}`).join(",\n  ")}
  to ${roles};
`;

const grantToRelay = (schema: string, role: string): string => `-- The role that the service connects as.
grant usage on schema ${schemaName(schema)} to ${role};
grant select, update, delete on ${schemaName(schema)}.outbox to ${role};
`;

const asExample = (text: string): string => text.replaceAll(/^(?!--)/gm, "-- ").replaceAll(/^-- $/gm, "");

/** What roles need: for those named; without any, as an example. */
export function outboxGrants(schema: string, { app = [], relay }: OutboxRoles): string {
  if (app.length === 0 && relay === undefined)
    return asExample(`${grantToApp(schema, "your_app")}\n${grantToRelay(schema, "your_relay")}`);
  return [
    ...(app.length > 0 ? [grantToApp(schema, app.map(quoteSqlName).join(", "))] : []),
    ...(relay === undefined ? [] : [grantToRelay(schema, quoteSqlName(relay))]),
  ].join("\n");
}

/** PostgreSQL 13 is the oldest that has `gen_random_uuid()`. */
export const outboxSql = (
  schema = defaultOutboxSchema,
  roles: OutboxRoles = {},
): string => `-- The outbox of Tidings: events are written in your transactions, and taken from here when these have committed.
-- Apply it as the role that is to own it, to PostgreSQL 13 or later. It may be applied again.
begin;

${outboxObjects(schema)}
${outboxGrants(schema, roles)}
commit;
`;

/** The outbox without its transaction and grants. */
export function outboxObjects(given: string): string {
  const schema = schemaName(given);
  return `-- Stops where the schema has something else with these names. The service's own database is such a place: it has
-- functions for its own roles, and needs no outbox.
do $$
declare
  outbox oid := to_regclass(${quoteText(`${schema}.outbox`)});
  missing text;
begin
  if outbox is null and exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = ${quoteText(given)} and p.proname in ('trigger', 'cancel', 'upsert_subscriber', 'add_to_outbox')
  ) then
    raise exception 'The schema % has functions with the names of the outbox, and no outbox', ${quoteText(given)}
      using errcode = '42723', hint = 'If this is the database of the service, it needs no outbox: run \`tidings grant-sql\`. '
        'Otherwise, choose another schema.';
  end if;
  select string_agg(c.name || ' (' || c.type || ')', ', ' order by c.name) into missing
  from (values ${Object.entries(outboxColumns)
    .map((column) => `(${column.map(quoteText).join(", ")})`)
    .join(", ")}) as c(name, type)
  where outbox is not null and not exists (
    select from pg_attribute a where a.attrelid = outbox and a.attname = c.name and not a.attisdropped
      and format_type(a.atttypid, null) = c.type
  );
  if missing is not null or (select relkind from pg_class where oid = outbox) not in ('r', 'p') then
    raise exception 'The table %.outbox is not an outbox of Tidings, or was altered', ${quoteText(given)}
      using errcode = '42P07', detail = 'It lacks ' || coalesce(missing, 'the form of a table') || '.',
        hint = 'Correct it, drop it, or choose another schema.';
  end if;
end $$;

create schema if not exists ${schema};

-- Rows with the same key are handed over in the order of their ids. They are deleted when they have been accepted.
create table if not exists ${schema}.outbox (
  id             bigint generated always as identity primary key,
  transaction_id text not null,
  kind           text not null,
  key            text,
  body           jsonb not null,
  created_at     timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- NOTIFY wakes the relay. Transactions that notify commit one after the other, and cannot be prepared for a two-phase
-- commit: \`set tidings.notify = 'off'\`, for a session, role or database, leaves it out, and the relay looks for itself.
create or replace function ${schema}.add_to_outbox(given_kind text, given_id text, given_key text, given_body jsonb)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into ${schema}.outbox (transaction_id, kind, key, body)
  values (given_id, given_kind, left(given_key, 512), given_body);
  if coalesce(nullif(current_setting('tidings.notify', true), ''), 'on') <> 'off' then
    perform pg_notify('tidings_outbox', '');
  end if;
end $$;

-- Triggers an event when this transaction commits, and returns its transaction id.
create or replace function ${schema}.trigger(workflow text, recipient jsonb, payload jsonb default '{}', options jsonb default '{}')
returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  transaction_id text;
  ordering_key text;
  body jsonb;
  unknown_options text;
begin
  if trigger.workflow is null then raise exception 'tidings.trigger: workflow is null' using errcode = '22004'; end if;
  if coalesce(jsonb_typeof(trigger.recipient), 'null') = 'null' then
    raise exception 'tidings.trigger: recipient is null' using errcode = '22004';
  end if;
  if coalesce(jsonb_typeof(trigger.payload), 'null') <> 'object' then
    raise exception 'tidings.trigger: payload must be a JSON object' using errcode = '22023';
  end if;
  if coalesce(jsonb_typeof(trigger.options), 'null') <> 'object' then
    raise exception 'tidings.trigger: options must be a JSON object' using errcode = '22023';
  end if;
  select string_agg(name, ', ') into unknown_options from jsonb_object_keys(trigger.options) as name
  where name not in ('transactionId', 'key', 'actor', 'context', 'tenant', 'overrides', 'priority', 'supersedeKey', 'bridgeUrl');
  if unknown_options is not null then
    raise exception 'tidings.trigger: unknown options: %', unknown_options using errcode = '22023';
  end if;
  if jsonb_typeof(trigger.options->'transactionId') <> 'string' or length(trigger.options->>'transactionId') not between 1 and 255 then
    raise exception 'tidings.trigger: transactionId must be a text of 1 to 255 characters' using errcode = '22023';
  end if;
  body := (trigger.options - '{transactionId,key}'::text[])
    || jsonb_build_object('name', trigger.workflow, 'to', trigger.recipient, 'payload', trigger.payload);
  -- Of the text: what is stored may be much shorter.
  if octet_length(body::text) > 524288 then
    if octet_length(trigger.payload::text) > 524288 then
      raise exception 'tidings.trigger: payload has % bytes, the limit is 524288', octet_length(trigger.payload::text)
        using errcode = '54000';
    elsif octet_length(body::text) > 1048576 then
      raise exception 'tidings.trigger: the call has % bytes, the limit is 1048576', octet_length(body::text)
        using errcode = '54000';
    end if;
  end if;
  transaction_id := coalesce(trigger.options->>'transactionId', 'sql_' || replace(gen_random_uuid()::text, '-', ''));
  ordering_key := coalesce(trigger.options->>'key', case jsonb_typeof(trigger.recipient)
    when 'string' then trigger.recipient #>> '{}'
    when 'object' then coalesce(trigger.recipient->>'subscriberId', 'topic:' || (trigger.recipient->>'topicKey')) end);
  perform ${schema}.add_to_outbox('trigger', transaction_id, ordering_key, body);
  return transaction_id;
end $$;

create or replace function ${schema}.trigger(workflow text, recipient text, payload jsonb default '{}', options jsonb default '{}')
returns text language sql as $$
  -- A literal without a cast is a text, whatever it looks like. Subscriber ids have no brackets.
  select ${schema}.trigger(workflow,
    case when recipient ~ '^\\s*[\\[{]' then recipient::jsonb else to_jsonb(recipient) end, payload, options)
$$;

-- Cancels an event when this transaction commits: what waits of it is not sent.
create or replace function ${schema}.cancel(transaction_id text)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if cancel.transaction_id is null then
    raise exception 'tidings.cancel: transaction_id is null' using errcode = '22004';
  end if;
  if length(cancel.transaction_id) not between 1 and 255 then
    raise exception 'tidings.cancel: transaction_id must have 1 to 255 characters' using errcode = '22023';
  end if;
  perform ${schema}.add_to_outbox('cancel', cancel.transaction_id, null, '{}');
end $$;

-- Creates a subscriber when this transaction commits, or changes the attributes given.
create or replace function ${schema}.upsert_subscriber(subscriber_id text, attributes jsonb default '{}')
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if upsert_subscriber.subscriber_id is null then
    raise exception 'tidings.upsert_subscriber: subscriber_id is null' using errcode = '22004';
  end if;
  if coalesce(jsonb_typeof(attributes), 'null') <> 'object' then
    raise exception 'tidings.upsert_subscriber: attributes must be a JSON object' using errcode = '22023';
  end if;
  if octet_length(attributes::text) > 524288 then
    raise exception 'tidings.upsert_subscriber: attributes have % bytes, the limit is 524288', octet_length(attributes::text)
      using errcode = '54000';
  end if;
  perform ${schema}.add_to_outbox('subscriber', 'sql_' || replace(gen_random_uuid()::text, '-', ''),
    upsert_subscriber.subscriber_id, attributes || jsonb_build_object('subscriberId', upsert_subscriber.subscriber_id));
end $$;

revoke all on function
  ${outboxFunctions(given).join(",\n  ")}
  from public;
`;
}
