-- Erasures of the data of a person. While one runs, it has the subscriber id, so that no event creates the subscriber again, and
-- what identifies the person, encrypted; both are removed when it ends. What remains is a pseudonym, a keyed hash and the receipt.
create table erasures (
  environment_id  uuid not null references environments on delete cascade,
  id              uuid not null,
  pseudonym       text not null,
  subscriber_hash text not null,
  subscriber_id   text,
  person          text,
  status          text not null check (status in ('running', 'completed')),
  progress        jsonb not null,
  counts          jsonb not null,
  requested_by    text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  finished_at     timestamptz,
  receipt         text,
  primary key (environment_id, id)
);
create unique index erasures_running on erasures (environment_id, subscriber_id) where subscriber_id is not null;
