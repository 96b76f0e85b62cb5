-- Alerts for people: what is watched in an environment, what was found, and the messages about it.

-- `targets` is encrypted: it has the addresses of incoming webhooks and signing secrets.
create table alert_rules (
  environment_id       uuid not null references environments on delete cascade,
  id                   uuid not null,
  name                 text not null,
  kind                 text not null,
  parameters           jsonb not null,
  targets              text not null,
  quiet                jsonb,
  repeat_after_minutes integer,
  active               boolean not null,
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  primary key (environment_id, id)
);
create unique index alert_rules_name on alert_rules (environment_id, lower(name));

-- `told_at`: the last message about it while it was open. `closed_at`: the message that it ended, or the decision that
-- none is needed.
create table alerts (
  environment_id  uuid not null references environments on delete cascade,
  id              uuid not null,
  rule_id         uuid not null,
  rule_name       text not null,
  kind            text not null,
  code            text not null,
  subject_type    text not null,
  subject_id      text not null,
  subject_name    text not null,
  facts           jsonb not null,
  status          text not null check (status in ('open', 'resolved')),
  opened_at       timestamptz not null,
  last_seen_at    timestamptz not null,
  resolved_at     timestamptz,
  ending          text,
  acknowledged_at timestamptz,
  acknowledged_by text,
  told_at         timestamptz,
  closed_at       timestamptz,
  primary key (environment_id, id)
);
-- One open alert for each rule and subject.
create unique index alerts_open on alerts (environment_id, rule_id, subject_type, subject_id) where status = 'open';
-- Those that a pass reads: open ones, and ended ones whose end was not reported yet.
create index alerts_unsettled on alerts (environment_id, id) where closed_at is null;
create index alerts_resolved on alerts (resolved_at) where resolved_at is not null;

-- One message to one target about all alerts that a pass found for it. `target` is encrypted. `key` names the target and
-- the pass, so that a pass that is repeated writes no message twice.
create table alert_messages (
  environment_id uuid not null references environments on delete cascade,
  id             uuid not null,
  key            text not null,
  target         text not null,
  alert_ids      uuid[] not null,
  content        jsonb not null,
  is_fallback    boolean not null,
  status         text not null check (status in ('pending', 'sent', 'failed')),
  attempts       integer not null,
  next_at        timestamptz,
  last_at        timestamptz,
  detail         text,
  created_at     timestamptz not null,
  primary key (environment_id, id),
  unique (environment_id, key)
);
create index alert_messages_alerts on alert_messages using gin (alert_ids);
create index alert_messages_created on alert_messages (created_at);
