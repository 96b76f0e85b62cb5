-- Days that an environment keeps each class of data; what is not named follows the settings (docs/retention.md).
alter table environments add column retention jsonb not null default '{}';

-- What each run of the retention deleted, for people who ask when data went. Bounded: old runs are deleted.
create table retention_runs (
  id          uuid primary key,
  started_at  timestamptz not null,
  finished_at timestamptz,
  is_complete boolean not null default false,
  deleted     jsonb not null default '{}',
  partitions  text[] not null default '{}',
  error       text
);
create index retention_runs_started on retention_runs (started_at);
