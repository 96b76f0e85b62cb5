-- Backtests: what a change would have done to the events of a period (docs/decisions/0058-backtests.md).

-- `change`: what is different in the second replay. `page`: pages that are done; `after_id`: the last person that was
-- replayed. `permyriad`: the share of people that is replayed; null: everyone. `tally`: what was counted so far.
create table backtests (
  environment_id  uuid not null references environments (id) on delete cascade,
  id              uuid not null,
  name            text,
  status          text not null,
  failure         text,
  period_from     timestamptz not null,
  period_to       timestamptz not null,
  permyriad       integer,
  notifications   integer not null,
  change          jsonb not null,
  page            integer not null default 0,
  after_id        uuid,
  tally           jsonb,
  report          jsonb,
  differences     integer not null default 0,
  created_by      text not null,
  created_at      timestamptz not null,
  started_at      timestamptz,
  finished_at     timestamptz,
  primary key (environment_id, id)
);

-- One of an environment runs at a time.
create unique index backtests_running on backtests (environment_id) where status in ('queued', 'running');

-- Messages that would be different, without their content.
create table backtest_differences (
  environment_id  uuid not null,
  backtest_id     uuid not null,
  subscriber_id   uuid not null references subscribers (id) on delete cascade,
  notification_id uuid not null,
  step_id         text not null,
  workflow_id     text not null,
  effect          text not null,
  was_sent        boolean not null,
  is_sent         boolean not null,
  primary key (environment_id, backtest_id, subscriber_id, notification_id, step_id),
  foreign key (environment_id, backtest_id) references backtests (environment_id, id) on delete cascade
);
create index backtest_differences_person on backtest_differences (subscriber_id);
