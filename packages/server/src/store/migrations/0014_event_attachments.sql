-- The files of events, each stored once beside its event: messages, the feed and webhooks show the payload, and a payload
-- names its files without their content.

-- The id is the event's. Partitioned as events are, so that both go with their month.
create table event_attachments (
  id             uuid not null primary key,
  environment_id uuid not null,
  -- As the caller sent them, the content in base64.
  attachments    jsonb not null
) partition by range (id);
create index event_attachments_environment on event_attachments (environment_id);

do $$
declare
  part record;
begin
  for part in
    select replace(c.relname, 'events_', 'event_attachments_') as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass
  loop
    execute format('create table %I partition of event_attachments %s', part.name, part.bounds);
  end loop;
end $$;

-- Files that events have in their payload are moved out of it. A list that an event was accepted with before files were
-- checked, and that holds something else, stays as it is: it is sent by nothing.
with moved as (
  insert into event_attachments (id, environment_id, attachments)
  select id, environment_id, payload -> 'attachments' from events
  where jsonb_typeof(payload -> 'attachments') = 'array' and payload @? '$.attachments[*].file'
    and not payload @? '$.attachments[*] ? (@.type() != "object" || !exists(@.file) || @.file.type() != "string")'
  returning id)
update events e set payload = jsonb_set(payload, '{attachments}', (
  select jsonb_agg(file - 'file' || jsonb_build_object(
    'size', length(file ->> 'file') / 4 * 3 - length(file ->> 'file') + length(rtrim(file ->> 'file', '=')))
    order by place)
  from jsonb_array_elements(payload -> 'attachments') with ordinality as files(file, place)))
from moved where e.id = moved.id;
