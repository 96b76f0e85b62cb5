-- What the messages of a workflow are to their readers, and which of them go first.
alter table workflows add column message_class text not null default 'transactional';
alter table workflows add column priority text not null default 'normal';

-- The attention budgets of an environment, null for none, and the lower limits that a person chose
-- (docs/decisions/0051-attention-budgets.md).
alter table environments add column attention jsonb;
alter table subscribers add column attention jsonb;

-- What a person was sent of late and what waits for them, by channel. The row of a person is locked while places are
-- given, so that any number of simultaneous messages never exceed a budget.
create table attention_ledgers (
  environment_id uuid not null references environments (id) on delete cascade,
  subscriber_id  uuid not null,
  ledger         jsonb not null,
  updated_at     timestamptz not null,
  primary key (environment_id, subscriber_id)
);
create index attention_ledgers_updated on attention_ledgers (updated_at);
