-- Categories: named groups of workflows, in which subscribers choose channels together. A workflow names its category
-- by identifier, as it names layouts, so that publishing needs no translation of ids. A subscriber's choice for a
-- category is a row of subscriber_preferences whose workflow_id is the id of the category
-- (docs/decisions/0041-preference-categories.md).
create table preference_categories (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  category_id    text not null,
  name           text not null,
  description    text not null default '',
  is_required    boolean not null default false,
  channels       jsonb not null default '{}',
  position       integer not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  unique (environment_id, category_id)
);

alter table workflows add column category_id text;
-- Mails of a commercial workflow always have the headers to unsubscribe.
alter table workflows add column is_commercial boolean not null default false;
