-- without a transaction
-- Finds the people of an audience by when they were last online.
create index concurrently if not exists subscribers_online on subscribers (environment_id, last_online_at)
  where last_online_at is not null;
