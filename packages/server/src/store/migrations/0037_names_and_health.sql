-- The name of what an entry of the audit log is about, as it was then: a workflow, an integration, an address.
alter table audit_log add column target_name text;

-- Looking at a layout changes nothing.
delete from audit_log where operation = 'layouts.preview';

-- The health of a webhook: calls that failed since the last success, and the last of them.
alter table webhooks add column failures integer not null default 0, add column last_failure_at timestamptz, add column last_error text;
