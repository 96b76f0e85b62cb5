-- Audiences and broadcasts (docs/decisions/0055-audiences.md, docs/decisions/0056-broadcasts.md).

-- A rule over subscribers (JSON Logic), or with `rule` null a fixed list, whose people are in `audience_members`.
create table audiences (
  environment_id uuid not null references environments (id) on delete cascade,
  id             uuid not null,
  audience_id    text not null,
  name           text not null,
  description    text,
  rule           jsonb,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, id),
  constraint audiences_audience_id unique (environment_id, audience_id)
);

create table audience_members (
  environment_id uuid not null,
  audience_id    uuid not null,
  subscriber_id  uuid not null references subscribers (id) on delete cascade,
  primary key (environment_id, audience_id, subscriber_id),
  foreign key (environment_id, audience_id) references audiences (environment_id, id) on delete cascade
);
create index audience_members_subscriber on audience_members (subscriber_id);

-- When people last did something that rules can ask for. `subscribers` itself has the last time online. A row exists
-- for those who read or opened a message.
create table subscriber_activity (
  subscriber_id  uuid not null primary key references subscribers (id) on delete cascade,
  environment_id uuid not null references environments (id) on delete cascade,
  last_read_at   timestamptz,
  last_opened_at timestamptz
);
create index subscriber_activity_environment on subscriber_activity (environment_id);

-- The people of an event to audiences, fixed when it starts: each row is what one transaction starts. `due_at`: not
-- before. `state`: waiting, done, expired or failed. `gone`: people who were deleted before their turn.
create table event_pages (
  environment_id uuid not null references environments (id) on delete cascade,
  event_id       uuid not null,
  page           integer not null,
  subscriber_ids uuid[] not null,
  people         integer not null,
  due_at         timestamptz not null,
  state          text not null default 'waiting',
  gone           integer not null default 0,
  done_at        timestamptz,
  primary key (environment_id, event_id, page)
);
create index event_pages_waiting on event_pages (environment_id, event_id, due_at, page) where state = 'waiting';
create index event_pages_age on event_pages (event_id);

-- `content`, `audience`, `time`, `pace`: as the API shows them. `event_id`: set when it is sent. `channels`: those with
-- an active integration then. `turn`: counts the times it was resumed; tasks of earlier turns do nothing. `revision`:
-- counts changes of the draft; `checked`: the last check, of the draft with `checked_revision`.
create table broadcasts (
  environment_id      uuid not null references environments (id) on delete cascade,
  id                  uuid not null,
  name                text not null,
  status              text not null,
  content             jsonb not null,
  audience            jsonb not null,
  "time"              jsonb not null,
  pace                jsonb not null,
  expires_at          timestamptz,
  approval            jsonb,
  event_id            uuid,
  transaction_id      text,
  channels            text[] not null default '{}',
  turn                integer not null default 0,
  people              integer,
  failure             text,
  resend_of           uuid,
  revision            integer not null default 0,
  checked             jsonb,
  checked_revision    integer,
  created_by          text not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  started_at          timestamptz,
  finished_at         timestamptz,
  primary key (environment_id, id)
);
create unique index broadcasts_event on broadcasts (environment_id, event_id) where event_id is not null;

alter table environments add column broadcast_approval boolean not null default false;
