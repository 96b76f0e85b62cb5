-- Variables that templates read as `env.<key>`, one row for each environment that has a value. The value of a secret is
-- encrypted (docs/decisions/0048-environment-variables.md).
create table environment_variables (
  environment_id uuid not null references environments (id) on delete cascade,
  key            text not null,
  id             uuid not null,
  is_secret      boolean not null,
  value          text not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, key)
);

-- Grows with every change of a variable: a process that has read the variables knows whether they are still current.
alter table environments add column variables_version integer not null default 0;
