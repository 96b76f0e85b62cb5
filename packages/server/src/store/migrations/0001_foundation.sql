-- Who owns what. ------------------------------------------------------------------------------------------------------

create table installation (
  name  text primary key,
  value text not null
);

create table organizations (
  id         uuid primary key,
  name       text not null,
  created_at timestamptz not null
);

create table users (
  id              uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  name            text not null,
  created_at      timestamptz not null
);

create table environments (
  id              uuid primary key,
  organization_id uuid not null references organizations on delete cascade,
  parent_id       uuid references environments,
  name            text not null,
  identifier      text not null,
  type            text not null check (type in ('dev', 'prod')),
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  unique (organization_id, identifier)
);

-- A key is found by its hash; the clear value is kept encrypted because the environment listing has to return it.
create table api_keys (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  user_id        uuid not null references users,
  hash           bytea not null unique,
  secret         text not null,
  created_at     timestamptz not null,
  revoked_at     timestamptz
);
create index api_keys_environment on api_keys (environment_id);

-- Processes cache who owns a key. Whatever changes a key, also by hand, tells all of them to forget what they know.
create function announce_api_key_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidings_api_keys', '');
  return null;
end $$;
create trigger api_keys_changed after insert or update or delete on api_keys
  for each statement execute function announce_api_key_change();

-- The answer to a request, kept 24 hours under the caller's key. Written in the transaction of the request itself.
create table idempotency_keys (
  environment_id uuid not null references environments on delete cascade,
  key            text not null,
  fingerprint    bytea not null,
  status         smallint not null,
  body           text,
  created_at     timestamptz not null default now(),
  primary key (environment_id, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- People, workflows, integrations. ------------------------------------------------------------------------------------

create table subscribers (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  subscriber_id  text not null,
  first_name     text,
  last_name      text,
  email          text,
  phone          text,
  avatar         text,
  locale         text,
  timezone       text,
  data           jsonb,
  channels       jsonb not null default '[]',
  is_online      boolean,
  last_online_at timestamptz,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  unique (environment_id, subscriber_id)
);
create index subscribers_created on subscribers (environment_id, created_at, id);
create index subscribers_updated on subscribers (environment_id, updated_at, id);
create index subscribers_key on subscribers (environment_id, lower(subscriber_id));
create index subscribers_email on subscribers (environment_id, lower(email));
create index subscribers_phone on subscribers (environment_id, phone);

create table workflows (
  id                     uuid primary key,
  environment_id         uuid not null references environments on delete cascade,
  workflow_id            text not null,
  version_id             uuid not null,
  name                   text not null,
  description            text,
  tags                   text[] not null default '{}',
  active                 boolean not null,
  validate_payload       boolean not null,
  payload_schema         jsonb,
  is_translation_enabled boolean not null,
  severity               text not null,
  origin                 text not null,
  preferences_user       jsonb,
  preferences_default    jsonb not null,
  steps                  jsonb not null,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  updated_by             uuid,
  deleted_at             timestamptz
);
create unique index workflows_identifier on workflows (environment_id, workflow_id) where deleted_at is null;

-- Immutable: a run is pinned to the version that started it, and workers may cache a version for ever.
create table workflow_versions (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  workflow_id    uuid not null references workflows on delete cascade,
  definition     jsonb not null,
  step_types     text[] not null,
  created_at     timestamptz not null
);
create index workflow_versions_workflow on workflow_versions (workflow_id);

create table integrations (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  identifier     text not null,
  name           text not null,
  provider_id    text not null,
  channel        text not null,
  credentials    text,
  configurations text,
  conditions     jsonb not null default '[]',
  active         boolean not null,
  is_primary     boolean not null,
  priority       integer not null default 0,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  deleted_at     timestamptz,
  deleted_by     uuid
);
create unique index integrations_identifier on integrations (environment_id, identifier) where deleted_at is null;
create unique index integrations_primary on integrations (environment_id, channel) where is_primary;

-- What happened. Partitioned by month on the time inside the UUIDv7 id: a lookup by id opens one partition, the newest
-- rows are an ordered append, and retention drops a partition. No foreign keys on this side: they would cost a lookup
-- per row on the hot path, and retention removes whole months at once. ------------------------------------------------

create table events (
  id                  uuid not null primary key,
  environment_id      uuid not null,
  transaction_id      text not null,
  workflow_id         uuid not null,
  workflow_version_id uuid not null,
  payload             jsonb not null,
  overrides           jsonb,
  recipients          jsonb not null,
  actor               jsonb,
  created_at          timestamptz not null
) partition by range (id);
create index events_transaction on events (environment_id, transaction_id);

-- Transaction ids that callers gave, each accepted once per environment. Generated ones are unique by construction.
create table transaction_ids (
  environment_id uuid not null references environments on delete cascade,
  transaction_id text not null,
  event_id       uuid not null,
  primary key (environment_id, transaction_id)
);

create table notifications (
  id                  uuid not null primary key,
  environment_id      uuid not null,
  event_id            uuid not null,
  workflow_id         uuid not null,
  workflow_version_id uuid not null,
  subscriber_id       uuid not null,
  severity            text not null,
  critical            boolean not null,
  context_keys        text[] not null default '{}',
  digested_into       uuid,
  created_at          timestamptz not null,
  updated_at          timestamptz not null
) partition by range (id);
create index notifications_environment on notifications (environment_id, id);
create index notifications_event on notifications (event_id);
create index notifications_subscriber on notifications (subscriber_id, id);
create index notifications_workflow on notifications (workflow_id, id);

-- One row per active step of a notification. `details` is the trail of execution details, in order.
create table jobs (
  id              uuid not null primary key,
  environment_id  uuid not null,
  notification_id uuid not null,
  step_index      smallint not null,
  type            text not null,
  status          text not null,
  provider_id     text,
  details         jsonb not null,
  output          jsonb,
  digest          jsonb,
  merged_into     uuid,
  wake_at         timestamptz,
  updated_at      timestamptz not null
) partition by range (id);
create index jobs_notification on jobs (notification_id);
create index jobs_merged on jobs (merged_into) where merged_into is not null;

create table messages (
  id                  uuid not null primary key,
  environment_id      uuid not null,
  notification_id     uuid not null,
  event_id            uuid not null,
  job_id              uuid not null,
  subscriber_id       uuid not null,
  workflow_id         uuid not null,
  channel             text not null,
  provider_id         text,
  integration_id      uuid,
  status              text not null,
  error_id            text,
  error_text          text,
  subject             text,
  content             text,
  cta                 jsonb,
  data                jsonb,
  actor               jsonb,
  email               text,
  outgoing            jsonb,
  provider_message_id text,
  context_keys        text[] not null default '{}',
  seen_at             timestamptz,
  read_at             timestamptz,
  archived_at         timestamptz,
  snoozed_until       timestamptz,
  delivered_at        timestamptz[],
  created_at          timestamptz not null,
  updated_at          timestamptz not null
) partition by range (id);
create index messages_environment on messages (environment_id, id);
create index messages_event on messages (event_id);
create index messages_subscriber on messages (subscriber_id, id);

-- One row per call to a provider, written before it and completed after it: a row without an outcome is a call whose
-- outcome is unknown.
create table attempts (
  id                  uuid not null primary key,
  environment_id      uuid not null,
  message_id          uuid not null,
  integration_id      uuid not null,
  number              smallint not null,
  started_at          timestamptz not null,
  finished_at         timestamptz,
  outcome             text,
  reason              text,
  provider_message_id text
) partition by range (id);
create index attempts_message on attempts (message_id);

-- One open window per environment, workflow step, subscriber, context and key: the unique key is what makes a digest
-- exact under concurrency.
create table digest_windows (
  environment_id         uuid not null references environments on delete cascade,
  step_id                uuid not null,
  subscriber_id          uuid not null,
  group_key              text not null,
  leader_job_id          uuid not null,
  leader_notification_id uuid not null,
  due_at                 timestamptz not null,
  primary key (environment_id, step_id, subscriber_id, group_key)
);
create index digest_windows_leader on digest_windows (leader_job_id);
create index digest_windows_notification on digest_windows (leader_notification_id);

create table captured_messages (
  id                     uuid primary key,
  environment_id         uuid not null references environments on delete cascade,
  message_id             uuid not null unique,
  event_id               uuid not null,
  subscriber_id          text not null,
  transaction_id         text not null,
  channel                text not null,
  provider_id            text not null,
  integration_identifier text not null,
  content                jsonb not null,
  created_at             timestamptz not null
);
create index captured_messages_created on captured_messages (environment_id, created_at, id);
create index captured_messages_transaction on captured_messages (environment_id, transaction_id);
