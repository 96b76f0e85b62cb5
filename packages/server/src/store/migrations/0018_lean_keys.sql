-- Fewer index entries a notification: the keys of the high-volume tables begin with the environment, so that one index serves
-- as key and as the order in which an environment's rows are listed (docs/decisions/0013-lean-keys.md). One index is built in
-- each partition; no row is rewritten, but for a few jobs. The tables are locked meanwhile.

-- Tasks that were enqueued before tasks carried their environment: the rows they name are found by environment from now on.
do $$ begin
  if to_regclass('queue.job_common') is null then return; end if;
  update queue.job_common j set singleton_key = t.environment_id::text from events t
  where j.singleton_key is null and j.name in ('trigger', 'fanout')
    and t.id = coalesce(j.data ->> 'eventId', j.data -> 'eventIds' ->> 0)::uuid;
  update queue.job_common j set singleton_key = t.environment_id::text from notifications t
  where j.singleton_key is null and j.name = 'wake' and t.id = (j.data -> 'notificationIds' ->> 0)::uuid;
  update queue.job_common j set singleton_key = t.environment_id::text from messages t
  where j.singleton_key is null and j.name in ('deliver', 'unsnooze') and t.id = (j.data ->> 'messageId')::uuid;
  update queue.job_common j set singleton_key = t.environment_id::text from webhook_deliveries t
  where j.singleton_key is null and j.name = 'webhook' and t.id = (j.data ->> 'deliveryId')::uuid;
end $$;

-- An event is found by its transaction id through transaction_ids, or by its own id inside a generated transaction id.
insert into transaction_ids (environment_id, transaction_id, event_id)
select distinct on (e.environment_id, e.transaction_id) e.environment_id, e.transaction_id, e.id
from events e join environments v on v.id = e.environment_id
where e.transaction_id <> 'txn_' || replace(e.id::text, '-', '')
order by e.environment_id, e.transaction_id, e.id
on conflict do nothing;
drop index events_transaction;

alter table events drop constraint events_pkey, add primary key (environment_id, id);

drop index event_attachments_environment;
alter table event_attachments drop constraint event_attachments_pkey, add primary key (environment_id, id);

drop index notifications_environment;
alter table notifications drop constraint notifications_pkey, add primary key (environment_id, id);

drop index messages_environment;
alter table messages drop constraint messages_pkey, add primary key (environment_id, id);

drop index attempts_message;
alter table attempts drop constraint attempts_pkey, add primary key (environment_id, message_id, id);

-- A job is keyed by its notification and step, and belongs to the month of its notification. The partitions are kept with their
-- rows and move to a table that is divided by the notification; only jobs made just after a month ended, of notifications made
-- just before, are in the wrong one. Jobs whose notification was removed with its month go as well.
alter table jobs rename to jobs_by_id;
alter index jobs_pkey rename to jobs_by_id_pkey;
alter index jobs_merged rename to jobs_by_id_merged;
create table jobs (like jobs_by_id including defaults, primary key (environment_id, notification_id, step_index))
  partition by range (notification_id);
create index jobs_merged on jobs (merged_into) where merged_into is not null;
create temporary table moved_jobs (like jobs) on commit drop;

do $$
declare
  part record;
begin
  for part in
    select c.oid, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds,
      (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']*)''\)'))[1]::uuid as first,
      (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']*)''\)'))[1]::uuid as next
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobs_by_id'::regclass
  loop
    execute format('alter table jobs_by_id detach partition %I', part.name);
    execute format('alter table %I drop constraint %I', part.name,
      (select conname from pg_constraint where conrelid = part.oid and contype = 'p'));
    execute format('drop index %s', (
      select string_agg(x.indexrelid::regclass::text, ', ') from pg_index x
      where x.indrelid = part.oid and pg_get_indexdef(x.indexrelid) like '% (notification_id)'));
    execute format('with moved as (delete from %I where notification_id < %L or notification_id >= %L returning *)
      insert into moved_jobs select * from moved', part.name, part.first, part.next);
    execute format('alter table jobs attach partition %I %s', part.name, part.bounds);
  end loop;
end $$;

drop table jobs_by_id;
insert into jobs select m.* from moved_jobs m
where exists (select 1 from notifications n where n.environment_id = m.environment_id and n.id = m.notification_id);
