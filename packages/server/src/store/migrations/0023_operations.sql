-- What operators need: replays of dead letters at a pace, and what providers reported.

-- A replay walks through the open letters in the order of their ids, a page for each second. `after_id` is the last letter it has
-- taken, `until_id` the last one it takes: letters that appear later are not part of it. `turn` is the number of the page that is
-- next; a task of the queue with another number is left over from before a pause.
create table dead_letter_replays (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  status         text not null check (status in ('running', 'paused', 'stopped', 'done')),
  filter         jsonb not null,
  integration_id uuid,
  per_second     integer not null,
  total          integer not null,
  done           integer not null,
  after_id       uuid,
  until_id       uuid,
  turn           integer not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  finished_at    timestamptz
);
create index dead_letter_replays_environment on dead_letter_replays (environment_id, id);
create index dead_letter_replays_created on dead_letter_replays (created_at);

-- The replay that has put a letter on its way, to count what became of its messages.
alter table dead_letters add column replay_id uuid;
create index dead_letters_replay on dead_letters (replay_id) where replay_id is not null;

-- Every report that came from a provider, with its result; and requests that were refused. A report that waits for its message has
-- the id of its row in `early_receipts`. Rows age out within days.
create table inbound_receipts (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  integration_id uuid,
  result         text not null check (result in ('applied', 'duplicate', 'waiting', 'ignored', 'refused')),
  reason         text,
  status         text,
  changes        text[] not null,
  message_id     uuid,
  external_id    text,
  recipient      text,
  excerpt        text
);
create index inbound_receipts_environment on inbound_receipts (environment_id, id);
create index inbound_receipts_refused on inbound_receipts (environment_id, id) where result = 'refused';
create index inbound_receipts_integration on inbound_receipts (integration_id, id) where integration_id is not null;
