-- Images of emails, uploaded by members and served publicly under the hash of their bytes.
create table assets (
  id             uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  hash           text not null,
  content_type   text not null,
  file_name      text,
  width          integer not null,
  height         integer not null,
  size           integer not null,
  bytes          bytea not null,
  created_at     timestamptz not null,
  unique (environment_id, hash)
);
create index assets_list on assets (environment_id, created_at, id);
