-- Runs that wait for something to happen: a signal for their subscriber, or an event of a message that they sent. A row
-- for each wait, which is deleted when the wait ends. `arrived_at`: what the run waits for has happened, and the run is
-- about to continue (docs/decisions/0046-branches-and-waits.md).
create table run_waits (
  environment_id  uuid not null references environments (id) on delete cascade,
  job_id          uuid not null,
  notification_id uuid not null,
  subscriber_id   uuid not null,
  signal          text,
  signal_key      text,
  watched_job_id  uuid,
  watched_event   text,
  arrived_at      timestamptz,
  arrived_by      text,
  data            jsonb,
  primary key (environment_id, job_id)
);
create index run_waits_signal on run_waits (environment_id, subscriber_id, signal) where signal is not null;
create index run_waits_message on run_waits (environment_id, watched_job_id) where watched_job_id is not null;
create index run_waits_notification on run_waits (environment_id, notification_id);

-- Signals, for waits that look back and for the goals of experiments.
create table signals (
  environment_id uuid not null references environments (id) on delete cascade,
  id             uuid not null,
  subscriber_id  uuid not null,
  name           text not null,
  key            text,
  data           jsonb,
  created_at     timestamptz not null,
  primary key (environment_id, id)
);
create index signals_subscriber on signals (environment_id, subscriber_id, name, created_at);
create index signals_age on signals (created_at);
