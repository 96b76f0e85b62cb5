-- The last mile: which integrations are in trouble, what could not be delivered, and what was sent once more.

-- Shared by all processes. An integration without a row has had no trouble since its last success.
create table integration_health (
  integration_id uuid primary key references integrations on delete cascade,
  environment_id uuid not null references environments on delete cascade,
  state          text not null check (state in ('closed', 'open', 'half_open')),
  failures       integer not null,
  probes         integer not null,
  opened_at      timestamptz,
  next_probe_at  timestamptz,
  updated_at     timestamptz not null
);

-- Messages that were given up although neither their recipient nor their content is to blame. They can be replayed.
create table dead_letters (
  id              uuid primary key,
  environment_id  uuid not null references environments on delete cascade,
  message_id      uuid not null,
  notification_id uuid not null,
  job_id          uuid not null,
  transaction_id  text not null,
  subscriber_id   text not null,
  workflow_id     uuid not null,
  step_id         text not null,
  channel         text not null,
  provider_id     text not null,
  integration_id  uuid not null,
  error_class     text not null check (error_class in ('transient', 'unknown', 'auth', 'quota', 'config')),
  error_id        text not null,
  error_text      text not null,
  attempts        integer not null,
  status          text not null check (status in ('open', 'replayed')),
  created_at      timestamptz not null,
  replayed_at     timestamptz
);
create index dead_letters_environment on dead_letters (environment_id, id);
create index dead_letters_open on dead_letters (environment_id, id) where status = 'open';
create index dead_letters_transaction on dead_letters (environment_id, transaction_id);
create index dead_letters_created on dead_letters (created_at);

-- A replay begins a new round: what was tried in the rounds before does not count any more.
alter table messages add column round smallint not null default 0, add column replayed_at timestamptz;
alter table attempts add column round smallint not null default 0;

-- The job of a chat or push step ends with its last message; the other channels have one message a job.
create index messages_job on messages (job_id) where channel in ('chat', 'push');

alter table workflows add column on_unknown_outcome text not null default 'may_duplicate'
  check (on_unknown_outcome in ('may_duplicate', 'may_delay'));
