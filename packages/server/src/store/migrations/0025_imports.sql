-- Imports of CSV files. The lines wait in pages, each worked on in a transaction of its own; a page that is done has only its
-- faulty lines left.
create table imports (
  id uuid primary key,
  environment_id uuid not null references environments (id) on delete cascade,
  kind text not null,
  is_dry_run boolean not null,
  status text not null,
  file_name text,
  separator text not null,
  columns jsonb not null,
  lines integer not null,
  done integer not null default 0,
  created integer not null default 0,
  updated integer not null default 0,
  unchanged integer not null default 0,
  faulty integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index imports_list on imports (environment_id, created_at, id);
create index imports_created_at on imports (created_at);

create table import_pages (
  environment_id uuid not null,
  import_id uuid not null references imports (id) on delete cascade,
  number integer not null,
  rows jsonb,
  errors jsonb not null default '[]',
  primary key (environment_id, import_id, number)
);
-- For the deletion of an import: its pages are found without the environment.
create index import_pages_import on import_pages (import_id);
