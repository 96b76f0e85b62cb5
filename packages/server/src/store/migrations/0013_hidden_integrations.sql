-- A built-in integration of a provider that clients of the API may not know is left out of answers until the environment
-- creates, changes or uses one.
alter table integrations add column is_hidden boolean not null default false;

-- Those that were changed stay visible; those that subscribers have credentials for are, whatever this says.
update integrations set is_hidden = true
where provider_id = 'web-push' and identifier = 'web-push-default' and deleted_at is null and updated_at = created_at;
