-- Rewrites of many rows, which run in batches while the service works (docs/decisions/0034-rolling-upgrades.md). A
-- migration adds a row for each; `next_key` is where the next batch begins, and null before the first one.
create table background_migrations (
  name        text primary key,
  next_key    jsonb,
  done_rows   bigint not null default 0,
  total_rows  bigint,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  finished_at timestamptz
);

insert into background_migrations (name, finished_at)
values ('encrypt_old_rows', (select now() from installation where name = 'sealed_rows' and value = 'done'));
