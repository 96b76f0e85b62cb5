-- Steps that members saved to insert them into other workflows. `step`: its type, conditions and control values.
create table step_templates (
  environment_id  uuid not null references environments (id) on delete cascade,
  id              uuid not null,
  name            text not null,
  step            jsonb not null,
  created_by_name text not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (environment_id, id)
);
create unique index step_templates_name on step_templates (environment_id, lower(name));

-- When an image was last loaded, uploaded again, or found in a document. Null: not since it was uploaded.
alter table assets add column needed_at timestamptz;
