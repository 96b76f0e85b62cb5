-- Layouts and translations. -------------------------------------------------------------------------------------------

-- The frame around the content of an email. An environment has a handful of them.
create table layouts (
  id                     uuid primary key,
  environment_id         uuid not null references environments on delete cascade,
  layout_id              text not null,
  name                   text not null,
  is_default             boolean not null,
  is_translation_enabled boolean not null,
  origin                 text not null,
  control_values         jsonb not null,
  created_at             timestamptz not null,
  updated_at             timestamptz not null,
  updated_by             uuid,
  unique (environment_id, layout_id)
);
create unique index layouts_default on layouts (environment_id) where is_default;
create index layouts_created on layouts (environment_id, created_at, id);
create index layouts_updated on layouts (environment_id, updated_at, id);
create index layouts_name on layouts (environment_id, name, id);

-- Texts of one workflow or layout (`resource_id` is its internal id) in one locale.
create table translations (
  environment_id uuid not null references environments on delete cascade,
  resource_type  text not null check (resource_type in ('workflow', 'layout')),
  resource_id    uuid not null,
  locale         text not null,
  content        jsonb not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, resource_type, resource_id, locale)
);
create index translations_locale on translations (environment_id, locale, resource_type, resource_id);

-- Environments. A deleted one stays until its work under way has ended and its rows are purged: what the queue still
-- holds must find the rows it refers to. Its identifier is free at once.
alter table environments add column color text;
alter table environments add column inbox_connected_at timestamptz;
alter table environments add column deleted_at timestamptz;
alter table environments drop constraint environments_organization_id_identifier_key;
create unique index environments_identifier on environments (organization_id, identifier) where deleted_at is null;

-- What happens to channel steps outside the subscriber's schedule; and when a workflow was last published.
alter table workflows add column outside_schedule text not null default 'hold'
  check (outside_schedule in ('hold', 'skip'));
alter table workflows add column last_published_at timestamptz;
alter table workflows add column last_published_by uuid;
