-- Events carry contexts, and may be for topics: their audience is walked like everyone is. -----------------------------

alter table events add column context_keys text[] not null default '{}';

-- The topic subscriptions that let the event through, as they were then: a list of `{id, identifier, topicId, topicKey}`,
-- null for who was named directly. Kept as values, because subscriptions and topics may be deleted under it.
alter table notifications add column subscriptions jsonb;

-- Finds notifications by topic and by subscription; those of people named directly are not in it.
create index notifications_subscriptions on notifications
  using gin (subscriptions jsonb_path_ops) where subscriptions is not null;
