-- How many rows a list has, without walking through them (docs/decisions/0022-list-counts.md): the sum of `count` over the rows of
-- the list here is, in every snapshot, the number of its rows. `list_id` is a topic, for its subscriptions, or an environment, for its
-- subscribers. A list has as many rows here as transactions have changed it at the same time. Room on the pages, because rows are
-- updated in place.
create table list_counts (
  environment_id uuid not null references environments on delete cascade,
  list_id        uuid not null,
  id             bigint generated always as identity,
  count          integer not null,
  primary key (environment_id, list_id, id)
) with (fillfactor = 50);

-- Adds to the counts of these lists, each named once. A transaction takes a row of the list that no other one holds and adds one when
-- there is none, so that writers never wait for each other.
create function add_to_list_counts(environments uuid[], lists uuid[], changes bigint[]) returns void language plpgsql as $$
begin
  with change as materialized (
    select * from unnest(environments, lists, changes) as c(environment_id, list_id, rows)),
  taken as materialized (
    select c.environment_id, c.list_id, c.rows, free.id from change c cross join lateral (
      select id from list_counts where environment_id = c.environment_id and list_id = c.list_id
      limit 1 for no key update skip locked) as free),
  updated as (
    update list_counts l set count = l.count + t.rows from taken t
    where l.environment_id = t.environment_id and l.list_id = t.list_id and l.id = t.id)
  insert into list_counts (environment_id, list_id, count)
  select environment_id, list_id, rows from change where list_id not in (select list_id from taken);
end $$;

-- The rows that go with their topic or environment are not counted any more: the counts go with it too, and these triggers may run
-- after that.
create function count_topic_subscriptions() returns trigger language plpgsql as $$
begin
  perform add_to_list_counts(array_agg(environment_id), array_agg(topic_id), array_agg(rows))
  from (select environment_id, topic_id, case tg_op when 'INSERT' then count(*) else -count(*) end as rows
    from changed group by environment_id, topic_id) as lists
  where exists (select from topics t where t.id = lists.topic_id)
  having count(*) > 0;
  return null;
end $$;

create function count_subscribers() returns trigger language plpgsql as $$
begin
  perform add_to_list_counts(array_agg(environment_id), array_agg(environment_id), array_agg(rows))
  from (select environment_id, case tg_op when 'INSERT' then count(*) else -count(*) end as rows
    from changed group by environment_id) as lists
  where exists (select from environments e where e.id = lists.environment_id)
  having count(*) > 0;
  return null;
end $$;

-- Runs when the subscriptions of the topic are deleted. No other transaction holds counts of it then: it would hold one of the
-- subscriptions, or the topic.
create function forget_topic_counts() returns trigger language plpgsql as $$
begin
  delete from list_counts l using deleted d where l.environment_id = d.environment_id and l.list_id = d.id;
  return null;
end $$;

-- No row comes or goes between the triggers and the first counts. In the order in which deletions of topics and subscribers lock them.
lock table topics, subscribers, topic_subscriptions in share row exclusive mode;

create trigger subscribers_added after insert on subscribers
  referencing new table as changed for each statement execute function count_subscribers();
create trigger subscribers_removed after delete on subscribers
  referencing old table as changed for each statement execute function count_subscribers();
create trigger topic_subscriptions_added after insert on topic_subscriptions
  referencing new table as changed for each statement execute function count_topic_subscriptions();
create trigger topic_subscriptions_removed after delete on topic_subscriptions
  referencing old table as changed for each statement execute function count_topic_subscriptions();
create trigger topics_removed after delete on topics
  referencing old table as deleted for each statement execute function forget_topic_counts();

insert into list_counts (environment_id, list_id, count)
select environment_id, environment_id, count(*) from subscribers group by environment_id;
insert into list_counts (environment_id, list_id, count)
select environment_id, topic_id, count(*) from topic_subscriptions group by environment_id, topic_id;
