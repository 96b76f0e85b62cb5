-- The last use of a key, written beside requests and not by them (http/key-uses.ts). A change of it alone does not empty the key
-- caches of all processes (docs/decisions/0003).
alter table api_keys add column last_used_at timestamptz;
drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed
  after insert or delete or update of id, environment_id, user_id, hash, secret, created_at, revoked_at on api_keys
  for each statement execute function announce_api_key_change();

-- What was published to an environment: per workflow and layout the state before and after, so that a publish can be taken back.
-- The content of workflows is in their versions, which are never deleted while the workflow is there; that of layouts and of
-- translations is kept here.
create table publishes (
  id              uuid primary key,
  environment_id  uuid not null references environments (id) on delete cascade,
  kind            text not null check (kind in ('publish', 'restore')),
  source_id       uuid,
  source_name     text not null,
  created_at      timestamptz not null,
  created_by      uuid not null,
  created_by_name text not null,
  resources       jsonb not null,
  restores        uuid,
  restored_at     timestamptz
);
create index publishes_time on publishes (environment_id, created_at, id);

-- Failures that a provider had a part in. Null in hours that were counted before: which they were is not known.
alter table statistics_hours add column refused integer;
