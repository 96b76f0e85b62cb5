-- What subscribers want to receive. One row per level: global (without workflow) or for one workflow, each without
-- context or for exactly one set of contexts. A channel that `channels` does not name is left to the weaker level. The
-- schedule exists globally only. No foreign key on the workflow: workflows are marked deleted, never removed. -----------

create table subscriber_preferences (
  environment_id uuid not null references environments on delete cascade,
  subscriber_id  uuid not null references subscribers on delete cascade,
  workflow_id    uuid,
  context_keys   text[] not null default '{}',
  channels       jsonb not null,
  schedule       jsonb,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  unique nulls not distinct (subscriber_id, workflow_id, context_keys)
);
-- Whether an environment has any at all: most batches of the pipeline end their search here.
create index subscriber_preferences_environment on subscriber_preferences (environment_id);

-- Events for an audience that is found while it is walked through, instead of recipients named in the request. A canceled
-- event makes no further notifications; `expanded_at` says that the last page of the audience was made. ----------------

alter table events add column audience jsonb;
alter table events add column expanded_at timestamptz;
alter table events add column canceled_at timestamptz;

-- Audiences are walked in order of the subscriber's id.
create index subscribers_environment on subscribers (environment_id, id);
