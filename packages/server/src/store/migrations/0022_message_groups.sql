-- A task of the stage `deliver` carries several messages of one integration (docs/decisions/0018-message-groups.md). Tasks that wait
-- have one each.
do $$ begin
  if to_regclass('queue.job_common') is null then return; end if;
  update queue.job_common set data = data - 'messageId' || jsonb_build_object('messageIds', jsonb_build_array(data -> 'messageId'))
  where name = 'deliver' and data ? 'messageId';
end $$;
update clock_tasks set data = data - 'messageId' || jsonb_build_object('messageIds', jsonb_build_array(data -> 'messageId'))
where kind = 'deliver' and data ? 'messageId';
update failed_tasks set data = data - 'messageId' || jsonb_build_object('messageIds', jsonb_build_array(data -> 'messageId'))
where kind = 'deliver' and data ? 'messageId';

-- Room on the pages of rows that are updated once (store/installation/partitions.ts), for pages written from now on.
do $$
declare
  part record;
begin
  for part in
    select c.relname as name, case p.relname when 'attempts' then 60 else 70 end as fill
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where p.relname in ('jobs', 'messages', 'attempts') and c.relkind = 'r'
  loop
    execute format('alter table %I set (fillfactor = %s)', part.name, part.fill);
  end loop;
end $$;
