-- What the engine keeps beside runs: throttles, the memory of look-back digests, tenants, and test clocks.

-- How many runs a group was granted in its present window. A window that is over is reused by the next.
create table throttle_windows (
  environment_id uuid not null references environments on delete cascade,
  step_id        uuid not null,
  subscriber_id  uuid not null,
  group_key      text not null,
  until          timestamptz not null,
  granted        integer not null,
  primary key (environment_id, step_id, subscriber_id, group_key)
);
create index throttle_windows_until on throttle_windows (until);

-- When an event of the group last came to a digest that looks back.
create table digest_passes (
  environment_id uuid not null references environments on delete cascade,
  step_id        uuid not null,
  subscriber_id  uuid not null,
  group_key      text not null,
  passed_at      timestamptz not null,
  primary key (environment_id, step_id, subscriber_id, group_key)
);
create index digest_passes_passed on digest_passes (passed_at);

create table tenants (
  environment_id uuid not null references environments on delete cascade,
  identifier     text not null,
  name           text,
  data           jsonb not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (environment_id, identifier)
);
alter table events add column tenant text;

-- A large audience is cut into ranges that are walked at the same time; this many have not come to their end.
alter table events add column open_walks smallint not null default 1;

-- A test clock stands still at `test_clock` until somebody moves it; on its way to `test_clock_target` it stops at
-- every task that falls due. Tasks of such an environment wait here and not in the queue.
alter table environments add column test_clock timestamptz, add column test_clock_target timestamptz;
create table clock_tasks (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  due_at         timestamptz not null,
  kind           text not null,
  data           jsonb not null
);
create index clock_tasks_due on clock_tasks (environment_id, due_at, id);

-- One address whatever the channel: email address, phone number, device token, webhook.
alter table messages rename column email to address;
