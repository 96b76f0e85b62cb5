// The outbox that `tidings outbox install` creates in a customer's own database: a table and functions, no triggers, no
// extensions. It is one transaction and may be applied again: rows that wait stay.

/** PostgreSQL 13 is the oldest that has `gen_random_uuid()`. */
export const outboxSql = (
  schema = "tidings",
): string => `-- The outbox of Tidings: events are written in your transactions, and taken from here when these have committed.
-- Apply it as the role that is to own it, to PostgreSQL 13 or later. It may be applied again.
begin;

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
  select ${schema}.trigger(workflow, to_jsonb(recipient), payload, options)
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

revoke all on all functions in schema ${schema} from public;

commit;
`;
