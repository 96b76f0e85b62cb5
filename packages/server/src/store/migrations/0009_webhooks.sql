-- Webhooks in both directions: what we tell others about messages, preferences and workflows, and what providers report to
-- us about deliveries.

-- Secrets are encrypted. Deleted ones stay until their deliveries have aged out: removing a month of them at once would
-- hold up the request.
create table webhooks (
  id                    uuid primary key,
  environment_id        uuid not null references environments on delete cascade,
  url                   text not null,
  event_types           text[] not null,
  active                boolean not null,
  secret                text not null,
  -- Signs beside the secret for a while after a rotation.
  previous_secret       text,
  previous_secret_until timestamptz,
  -- The first failure since the last success.
  failing_since         timestamptz,
  disabled_at           timestamptz,
  disabled_reason       text,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  deleted_at            timestamptz
);
create index webhooks_environment on webhooks (environment_id, id);

-- Processes remember which environments have webhooks, so that those without pay nothing. Whatever changes one, also by
-- hand, tells all of them to look again; the health of a webhook, which changes all the time, does not.
create function announce_webhook_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidings_webhooks', '');
  return null;
end $$;
create trigger webhooks_made after insert or delete on webhooks
  for each row execute function announce_webhook_change();
create trigger webhooks_changed after update on webhooks for each row
  when ((old.active, old.event_types, old.deleted_at) is distinct from (new.active, new.event_types, new.deleted_at))
  execute function announce_webhook_change();

-- What happened, once for all webhooks that hear of it: the exact text that is sent and signed.
create table webhook_events (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  type           text not null,
  body           text not null,
  created_at     timestamptz not null
);
create index webhook_events_environment on webhook_events (environment_id);

-- `failures` counts since it was made or replayed and decides how long to wait; `attempts` counts all.
create table webhook_deliveries (
  id              uuid primary key,
  environment_id  uuid not null,
  webhook_id      uuid not null references webhooks on delete cascade,
  event_id        uuid not null references webhook_events on delete cascade,
  status          text not null check (status in ('pending', 'delivered', 'failed')),
  attempts        integer not null,
  failures        integer not null,
  next_at         timestamptz,
  last_at         timestamptz,
  response_status smallint,
  response        text,
  unique (event_id, webhook_id)
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_status on webhook_deliveries (webhook_id, status, id);

-- Reports that had their effect: the same report again has none. Without a time of its own a report has `-infinity`. Rows
-- age out by themselves, so they hold on to nothing.
create table receipts (
  integration_id uuid not null,
  external_id    text not null,
  status         text not null,
  reported_at    timestamptz not null,
  message_id     uuid not null,
  environment_id uuid not null,
  created_at     timestamptz not null,
  primary key (integration_id, external_id, status, reported_at)
);
create index receipts_created on receipts (created_at);

-- The way from a provider's report to our message.
create index attempts_provider_message on attempts (integration_id, provider_message_id)
  where provider_message_id is not null;

-- Addresses that nothing is sent to any more.
create table suppressions (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  channel        text not null check (channel in ('email', 'sms')),
  address        text not null,
  reason         text not null check (reason in ('bounce', 'complaint', 'manual')),
  message_id     uuid,
  created_at     timestamptz not null,
  unique (environment_id, channel, address)
);
create index suppressions_created on suppressions (environment_id, created_at, id);
