-- The jobs of a run that ended in the transaction that began it are stored with its notification and have no rows in `jobs`
-- (store/events/finished-jobs.ts, docs/decisions/0023-finished-jobs.md). Details that are added to them later, such as that the
-- message was read, follow in later_details.
alter table notifications add column finished_jobs json;
alter table notifications add column later_details jsonb;
