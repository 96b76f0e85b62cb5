-- What an API key may do, until when and from where (docs/decisions/0057-scoped-keys.md). Keys that exist may do
-- everything. `operations` are the ids of operations, for the scope of the same name.
alter table api_keys add column name text;
alter table api_keys add column owner text;
alter table api_keys add column scope text not null default 'full';
alter table api_keys add column operations text[];
alter table api_keys add column expires_at timestamptz;
alter table api_keys add column allowed_networks text[];
create trigger api_keys_scope_changed
  after update of name, owner, scope, operations, expires_at, allowed_networks on api_keys
  for each statement execute function announce_api_key_change();
