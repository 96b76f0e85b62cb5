-- Which messages of an event go first, instead of what its workflow says; null for most events
-- (docs/decisions/0052-priority-lanes.md).
alter table events add column priority text;

-- Whether events that come with this key may ask for a higher priority than their workflow has.
alter table api_keys add column may_raise_priority boolean not null default false;
create trigger api_keys_rights_changed
  after update of may_raise_priority on api_keys
  for each statement execute function announce_api_key_change();
