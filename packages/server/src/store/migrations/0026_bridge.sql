-- Workflows that are defined in the code of the customer (docs/decisions/0019-bridge.md).

-- The address that is asked for the steps of the workflow; null for a workflow whose content is stored here.
alter table workflows add column bridge_url text;
-- The address that an event of a development environment names in place of that of its workflow.
alter table events add column bridge_url text;
-- What a step of such a workflow asked of the bridge, and what the bridge answered.
alter table jobs add column bridge jsonb;

-- The bridges of an environment: the key that signs the calls, and the circuit breaker.
create table bridges (
  environment_id uuid not null references environments on delete cascade,
  url            text not null,
  api_key_id     uuid,
  state          text not null check (state in ('closed', 'open', 'half_open')),
  failures       integer not null,
  probes         integer not null,
  opened_at      timestamptz,
  next_probe_at  timestamptz,
  synced_at      timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, url)
);
