-- A mail may have several recipients, and providers report on each of them.

-- Whom a report is about; empty for the one the message was made for, and where the provider does not say.
alter table receipts add column recipient text not null default '';
alter table receipts drop constraint receipts_pkey;
alter table receipts add primary key (integration_id, external_id, status, reported_at, recipient);

-- All recipients of a mail that went to more than its address; null for all other messages. Last, because everybody waits
-- for this table while it is locked.
alter table messages add column recipients text[];
