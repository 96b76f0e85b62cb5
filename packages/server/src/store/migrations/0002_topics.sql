-- Topics: named groups of subscribers, and who belongs to them. ---------------------------------------------------------

create table topics (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  key            text collate "C" not null,
  name           text,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create unique index topics_key on topics (environment_id, key);
create index topics_created on topics (environment_id, created_at, id);
create index topics_updated on topics (environment_id, updated_at, id);

-- A subscriber may hold several subscriptions in a topic. `rules` say, in order, for which workflows the subscription
-- counts; they are matched when an event arrives, so that a rule may name a workflow that does not exist yet.
create table topic_subscriptions (
  id             uuid primary key,
  environment_id uuid not null references environments on delete cascade,
  topic_id       uuid not null references topics on delete cascade,
  subscriber_id  uuid not null references subscribers on delete cascade,
  identifier     text collate "C" not null,
  name           text,
  context_keys   text[] not null default '{}',
  rules          jsonb not null default '[]',
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create unique index topic_subscriptions_identifier on topic_subscriptions (topic_id, identifier);
-- Carries the environment so that counting a large topic reads the index alone.
create index topic_subscriptions_created on topic_subscriptions (topic_id, created_at, id) include (environment_id);
create index topic_subscriptions_updated on topic_subscriptions (topic_id, updated_at, id);
-- An event walks the members of its topics in the order of this index, one page after the other.
create index topic_subscriptions_audience on topic_subscriptions (topic_id, context_keys, subscriber_id);
create index topic_subscriptions_member on topic_subscriptions (subscriber_id, topic_id);
create index topic_subscriptions_subscriber on topic_subscriptions (subscriber_id, created_at, id);
