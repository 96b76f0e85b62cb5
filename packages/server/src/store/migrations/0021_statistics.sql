-- Hourly statistics, counted from the rows of messages and jobs after the hour has ended (docs/decisions/0017-statistics.md).
-- A row with a reason counts skipped steps; all other figures stand in rows without one.
create table statistics_hours (
  environment_id uuid not null references environments (id) on delete cascade,
  hour timestamptz not null,
  workflow_id uuid not null,
  channel text not null,
  provider_id text not null,
  reason text not null,
  sent integer not null,
  delivered integer not null,
  opened integer not null,
  failed integer not null,
  skipped integer not null,
  latency integer[] not null,
  primary key (environment_id, hour, workflow_id, channel, provider_id, reason)
);
create index statistics_hours_hour on statistics_hours (hour);

-- The hours that have been counted; once more a day later, with the results that came late.
create table statistics_progress (
  hour timestamptz primary key,
  is_final boolean not null,
  counted_at timestamptz not null
);
