-- From this time on, an in-app message is in no feed, count or live inbox.
alter table messages add column expires_at timestamptz;

-- The messages that expire, in the order in which housekeeping deletes them. An index of the large table of messages would have to be
-- built over all rows that there are.
create table message_expiries (
  environment_id uuid not null references environments on delete cascade,
  expires_at     timestamptz not null,
  message_id     uuid not null,
  primary key (environment_id, expires_at, message_id)
);
