-- What an integration did last, for people: its last error, since when it fails, and when it last answered. A row now also stands
-- for integrations without trouble; a success is written at most once a minute (pipeline/deliver/health.ts).
alter table integration_health
  add column failing_since timestamptz,
  add column last_error text,
  add column last_error_class text,
  add column last_error_at timestamptz,
  add column last_success_at timestamptz;

-- Attempts that failed, by the provider that was called, though their message may have been sent later or wait still.
alter table statistics_hours add column failed_attempts integer not null default 0;
