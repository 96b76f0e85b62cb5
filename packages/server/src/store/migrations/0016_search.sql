-- Text search for people. pg_trgm comes with PostgreSQL and may be created by the owner of a database; where it is missing,
-- a search reads a bounded number of subscribers instead (store/events/notification-search.ts).
do $$ begin
  create extension if not exists pg_trgm;
  create index subscribers_search on subscribers using gin (subscriber_id gin_trgm_ops, email gin_trgm_ops);
exception when others then
  raise notice 'pg_trgm is not available: %', sqlerrm;
end $$;
