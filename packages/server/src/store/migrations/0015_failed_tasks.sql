-- Tasks of the pipeline that failed every time they were tried: taken out of the queue, kept with their error, replayable.
create table failed_tasks (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  kind           text not null,
  data           jsonb not null,
  error          text not null,
  attempts       integer not null,
  status         text not null check (status in ('open', 'replayed')),
  created_at     timestamptz not null,
  replayed_at    timestamptz
);
create index failed_tasks_environment on failed_tasks (environment_id, id);
create index failed_tasks_created on failed_tasks (created_at);
