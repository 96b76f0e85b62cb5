-- Contexts: what notifications are about. Records that name one carry its key `<type>:<id>` and no reference: a context
-- may be deleted and made again under them. `row_id` breaks ties when contexts are listed by time. --------------------

create table contexts (
  environment_id uuid not null references environments on delete cascade,
  type           text collate "C" not null,
  id             text collate "C" not null,
  row_id         uuid not null default gen_random_uuid(),
  data           jsonb not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, type, id)
);
create index contexts_created on contexts (environment_id, created_at, row_id);
create index contexts_updated on contexts (environment_id, updated_at, row_id);
create index contexts_type on contexts (environment_id, type, created_at, row_id);
create index contexts_id on contexts (environment_id, id);

-- Chat: the workspaces an integration may write to, and where in them a subscriber is reached. Both belong to their
-- integration and go with it; channel and provider are read from it. --------------------------------------------------

-- Without a subscriber, a connection is shared by all of them. `auth` is encrypted.
create table channel_connections (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  identifier     text collate "C" not null,
  integration_id uuid not null references integrations on delete cascade,
  subscriber_id  uuid references subscribers on delete cascade,
  context_keys   text[] not null default '{}',
  workspace      jsonb not null,
  auth           text not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create unique index channel_connections_identifier on channel_connections (environment_id, identifier);
create index channel_connections_created on channel_connections (environment_id, created_at, id);
create index channel_connections_updated on channel_connections (environment_id, updated_at, id);
create index channel_connections_integration on channel_connections (integration_id, created_at, id);
create index channel_connections_shared on channel_connections (integration_id) where subscriber_id is null;
create index channel_connections_subscriber on channel_connections (subscriber_id, created_at, id);
create index channel_connections_contexts on channel_connections (environment_id, context_keys, created_at, id);

create table channel_endpoints (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  identifier     text collate "C" not null,
  integration_id uuid not null references integrations on delete cascade,
  connection_id  uuid references channel_connections on delete cascade,
  subscriber_id  uuid not null references subscribers on delete cascade,
  context_keys   text[] not null default '{}',
  type           text not null,
  endpoint       jsonb not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create unique index channel_endpoints_identifier on channel_endpoints (environment_id, identifier);
create index channel_endpoints_created on channel_endpoints (environment_id, created_at, id);
create index channel_endpoints_updated on channel_endpoints (environment_id, updated_at, id);
create index channel_endpoints_integration on channel_endpoints (integration_id, created_at, id);
create index channel_endpoints_connection on channel_endpoints (connection_id, created_at, id);
create index channel_endpoints_subscriber on channel_endpoints (subscriber_id, created_at, id);
create index channel_endpoints_contexts on channel_endpoints (environment_id, context_keys, created_at, id);

-- Deleting an integration looks for its entries in the channels of subscribers.
create index subscribers_integrations on subscribers
  using gin (jsonb_path_query_array(channels, '$[*]._integrationId')) where channels <> '[]';
