-- Events that customers' transactions trigger by SQL, in this database or another (docs/decisions/0054-sql-trigger.md).

-- Where events come from by SQL. `local`: the functions of the schema `tidings` in this database. `postgres`: an outbox
-- in another one; `connection` is its address, encrypted. `waiting`, `oldest_at`: rows that wait, as last measured.
create table sources (
  environment_id   uuid not null references environments (id) on delete cascade,
  id               uuid not null,
  kind             text not null,
  name             text not null,
  connection       text,
  outbox_schema    text not null default 'tidings',
  paused           boolean not null default false,
  accepted         bigint not null default 0,
  refused          bigint not null default 0,
  last_accepted_at timestamptz,
  waiting          integer not null default 0,
  oldest_at        timestamptz,
  measured_at      timestamptz,
  failing_since    timestamptz,
  last_error       text,
  last_error_at    timestamptz,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (environment_id, id)
);
create unique index sources_local on sources (environment_id) where kind = 'local';

-- The roles that may call the functions, and the environment that they call them for.
create table sql_grants (
  role_name      text primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  created_at     timestamptz not null
);

-- What the functions were called with, until a worker accepts it. Rows with the same `key` are accepted in order of
-- their ids. Without a reference to environments, whose rows every call would lock.
create table sql_outbox (
  environment_id uuid not null,
  id             bigint generated always as identity,
  transaction_id text not null,
  kind           text not null,
  key            text,
  body           jsonb not null,
  created_at     timestamptz not null default clock_timestamp(),
  primary key (environment_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1);

-- A role that has the name of the schema would find and create its tables there from now on.
do $$
begin
  if current_user = 'tidings' and current_schema() <> 'tidings' then
    execute format('alter role %I in database %I set search_path = %I', current_user, current_database(), current_schema());
    execute format('set search_path = %I', current_schema());
  end if;
end $$;

create schema if not exists tidings;

-- Functions of other roles' calls: they name all tables with their schema, and find nothing in that of the caller.
do $do$
declare
  own text := quote_ident(current_schema());
  statement text;
begin
  foreach statement in array array[
$sql$
create function @own@.find_sql_environment() returns uuid
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_ids uuid[];
begin
  select array_agg(g.environment_id) into found_ids from @own@.sql_grants g where g.role_name = session_user;
  if found_ids is null then
    select array_agg(distinct g.environment_id) into found_ids
    from @own@.sql_grants g join pg_roles r on r.rolname = g.role_name
    where pg_has_role(session_user, r.oid, 'member');
  end if;
  if found_ids is null then
    raise exception 'tidings: the role "%" may not trigger events', session_user
      using errcode = '42501', hint = format('Run: tidings grant-sql %s --environment <environment>', session_user);
  end if;
  if cardinality(found_ids) > 1 then
    raise exception 'tidings: the role "%" is a member of roles for several environments', session_user
      using errcode = '42501', hint = format('Run: tidings grant-sql %s --environment <environment>', session_user);
  end if;
  return found_ids[1];
end $$
$sql$,
$sql$
create function @own@.add_to_sql_outbox(environment uuid, given_kind text, given_id text, given_key text, given_body jsonb)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into @own@.sql_outbox (environment_id, transaction_id, kind, key, body)
  values (environment, given_id, given_kind, left(given_key, 512), given_body);
  if coalesce(nullif(current_setting('tidings.notify', true), ''), 'on') <> 'off' then
    perform pg_notify('tidings_outbox', environment::text);
  end if;
end $$
$sql$,
$sql$
create function tidings.trigger(workflow text, recipient jsonb, payload jsonb default '{}', options jsonb default '{}')
returns text language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  environment uuid := @own@.find_sql_environment();
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
  perform from @own@.workflows w
  where w.environment_id = environment and w.workflow_id = trigger.workflow and w.deleted_at is null;
  if not found then
    raise exception 'tidings.trigger: workflow "%" not found', left(trigger.workflow, 200) using errcode = '22023';
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
  perform @own@.add_to_sql_outbox(environment, 'trigger', transaction_id, ordering_key, body);
  return transaction_id;
end $$
$sql$,
$sql$
create function tidings.trigger(workflow text, recipient text, payload jsonb default '{}', options jsonb default '{}')
returns text language sql as $$
  -- A literal without a cast is a text, whatever it looks like. Subscriber ids have no brackets.
  select tidings.trigger(workflow,
    case when recipient ~ '^\s*[\[{]' then recipient::jsonb else to_jsonb(recipient) end, payload, options)
$$
$sql$,
$sql$
create function tidings.cancel(transaction_id text)
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  environment uuid := @own@.find_sql_environment();
begin
  if cancel.transaction_id is null then
    raise exception 'tidings.cancel: transaction_id is null' using errcode = '22004';
  end if;
  if length(cancel.transaction_id) not between 1 and 255 then
    raise exception 'tidings.cancel: transaction_id must have 1 to 255 characters' using errcode = '22023';
  end if;
  perform @own@.add_to_sql_outbox(environment, 'cancel', cancel.transaction_id, null, '{}');
end $$
$sql$,
$sql$
create function tidings.upsert_subscriber(subscriber_id text, attributes jsonb default '{}')
returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  environment uuid := @own@.find_sql_environment();
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
  perform @own@.add_to_sql_outbox(environment, 'subscriber', 'sql_' || replace(gen_random_uuid()::text, '-', ''),
    upsert_subscriber.subscriber_id, attributes || jsonb_build_object('subscriberId', upsert_subscriber.subscriber_id));
end $$
$sql$,
    'revoke all on function @own@.find_sql_environment() from public',
    'revoke all on function @own@.add_to_sql_outbox(uuid, text, text, text, jsonb) from public',
    'revoke all on function @own@.add_to_list_counts(uuid[], uuid[], bigint[]) from public',
    'revoke all on all functions in schema tidings from public'
  ] loop
    execute replace(statement, '@own@', own);
  end loop;
end $do$;
