-- What the messages of a workflow are to their readers, and which of them go first.
alter table workflows add column message_class text not null default 'transactional';
alter table workflows add column priority text not null default 'normal';

-- The attention budgets of an environment, null for none (docs/decisions/0051-attention-budgets.md).
alter table environments add column attention jsonb;

-- What a person was sent of late and what waits for them, by channel, and the lower limits that they chose. The row of a person is locked while places are
-- given, so that any number of simultaneous messages never exceed a budget.
create table attention_ledgers (
  environment_id uuid not null references environments (id) on delete cascade,
  subscriber_id  uuid not null,
  ledger         jsonb not null,
  limits         jsonb,
  updated_at     timestamptz not null,
  primary key (environment_id, subscriber_id)
);
create index attention_ledgers_updated on attention_ledgers (updated_at) where limits is null;
