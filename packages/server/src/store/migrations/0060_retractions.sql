-- Events that are retracted, and events that replace earlier ones (docs/decisions/0053-retractions.md).

-- A later event with the same key replaces this one for the same subscriber. Null: nothing is replaced.
alter table events add column supersede_key text;

-- One row for each request. `notification_id`: only this run of the event is retracted. `after_id`: the last
-- notification that was handled. `results`: counts by channel and end state.
create table retractions (
  environment_id  uuid not null references environments (id) on delete cascade,
  id              uuid not null,
  event_id        uuid not null,
  notification_id uuid,
  transaction_id  text not null,
  supersede_key   text,
  recipient       text,
  reason          text not null,
  correction      jsonb,
  status          text not null,
  people          integer not null,
  handled         integer not null default 0,
  results         jsonb not null default '{}',
  after_id        uuid,
  created_by      text not null,
  created_at      timestamptz not null,
  finished_at     timestamptz,
  primary key (environment_id, id),
  constraint retractions_event unique nulls not distinct (environment_id, event_id, notification_id)
);

-- The end state of each message that was retracted or replaced. `id`: the message, or the job of a step that had none
-- yet. `retraction_id` is null where a later event replaced it.
create table retracted_messages (
  environment_id  uuid not null references environments (id) on delete cascade,
  id              uuid not null,
  notification_id uuid not null,
  job_id          uuid not null,
  retraction_id   uuid,
  channel         text not null,
  state           text not null,
  reason          text,
  at              timestamptz not null,
  primary key (environment_id, id)
);
create index retracted_messages_open on retracted_messages (environment_id, retraction_id)
  where state in ('in_flight', 'taking_back');
create index retracted_messages_age on retracted_messages (notification_id);

-- The newest run of a subscriber with this key. `earlier`: runs that it replaces, whose messages may still be shown.
create table supersede_keys (
  environment_id  uuid not null references environments (id) on delete cascade,
  subscriber_id   uuid not null,
  supersede_key   text not null,
  event_id        uuid not null,
  notification_id uuid not null,
  earlier         uuid[] not null default '{}',
  primary key (environment_id, subscriber_id, supersede_key)
);
create index supersede_keys_age on supersede_keys (notification_id);
