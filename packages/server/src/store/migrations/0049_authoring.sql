-- For each key of a translation, a hash of the default language's text that it translates: when that text changes, the
-- translation is out of date. Null in rows of earlier versions: nothing is known about them.
alter table translations add column sources jsonb;

-- What members say to each other about a step. `step_id`: its internal id, which a new identifier does not change.
create table step_comments (
  environment_id   uuid not null references environments (id) on delete cascade,
  id               uuid not null,
  workflow_id      uuid not null references workflows (id) on delete cascade,
  step_id          uuid not null,
  author_id        uuid,
  author_name      text not null,
  text             text not null,
  created_at       timestamptz not null,
  resolved_at      timestamptz,
  resolved_by_name text,
  primary key (environment_id, id)
);
create index step_comments_workflow on step_comments (environment_id, workflow_id, id);

-- Who has a workflow open in the dashboard: a row for each tab, which is written again every few seconds.
create table workflow_viewers (
  environment_id uuid not null references environments (id) on delete cascade,
  workflow_id    uuid not null references workflows (id) on delete cascade,
  tab_id         text not null,
  member_id      uuid not null,
  is_editing     boolean not null,
  seen_at        timestamptz not null,
  primary key (environment_id, workflow_id, tab_id)
);
