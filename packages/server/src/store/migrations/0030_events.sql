-- What an event itself says about its tenant: events that are accepted together, or that wait in the queue while others change
-- the tenant, each use their own.
alter table events add column tenant_fields jsonb;
-- Later events of its request, in order, which start when the whole audience of this one has been walked.
alter table events add column held_events uuid[];

-- Subscribers that were deleted, so that past notifications are found by subscriberId. Only a hash of it is kept: it may be an
-- email address.
create table deleted_subscribers (
  environment_id  uuid not null references environments on delete cascade,
  subscriber_hash bytea not null,
  id              uuid not null,
  deleted_at      timestamptz not null,
  primary key (environment_id, subscriber_hash, id)
);
create index deleted_subscribers_deleted on deleted_subscribers (deleted_at);

-- Messages that people deleted, by the hour in which they were made: statistics count what was sent at the time. Rows are needed
-- until their hour has been counted for the last time.
create table deleted_messages (
  environment_id uuid not null references environments on delete cascade,
  hour           timestamptz not null,
  workflow_id    uuid not null,
  channel        text not null,
  provider_id    text not null,
  sent           integer not null,
  delivered      integer not null,
  opened         integer not null,
  failed         integer not null,
  refused        integer not null,
  primary key (environment_id, hour, workflow_id, channel, provider_id)
);
