-- Paths of the payload whose values the workflow makes searchable, such as `order` or `invoice.number`.
alter table workflows add column search_keys text[] not null default '{}';

-- The values that events have at these paths, in lower case, so that a search by value finds its events by key, however old they are.
-- The id is the event's. Partitioned as events are, so that both go with their month.
create table event_search_values (
  environment_id uuid not null,
  value          text not null,
  id             uuid not null,
  primary key (environment_id, value, id)
) partition by range (id);

do $$
declare
  part record;
begin
  for part in
    select replace(c.relname, 'events_', 'event_search_values_') as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass
  loop
    execute format('create table %I partition of event_search_values %s', part.name, part.bounds);
  end loop;
end $$;
