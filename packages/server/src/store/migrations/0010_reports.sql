-- Reports that come before we can tell what they are about, letters that need no replay any more, and addresses in one
-- spelling.

-- A report may be faster than the answer to the call it is about: it waits here until the result of the call is written.
-- `name` is our id of the message, or the provider's where no attempt has it yet. The id says how old a row is; rows are
-- gone after minutes, so they hold on to nothing.
create table early_receipts (
  id             uuid primary key,
  environment_id uuid not null,
  integration_id uuid not null,
  name           text not null,
  receipt        jsonb not null
);
create index early_receipts_name on early_receipts (name);

-- `resolved`: a provider reported that it has the message after all, so that sending it again would be a double.
alter table dead_letters drop constraint dead_letters_status_check;
alter table dead_letters add constraint dead_letters_status_check check (status in ('open', 'replayed', 'resolved'));
create index dead_letters_message on dead_letters (message_id) where status = 'open';

-- Addresses were kept with their display names, and with some of the signs that people put into phone numbers.
with old as (
  delete from suppressions
  where (channel = 'email' and address ~ '<[^<>]+>$') or (channel = 'sms' and address ~ '[\u2010-\u2015]') returning *)
insert into suppressions (id, environment_id, channel, address, reason, message_id, created_at)
select distinct on (environment_id, channel, spelled)
  id, environment_id, channel, spelled, reason, message_id, created_at
from old, lateral (select case when channel = 'email' then trim(substring(address from '<([^<>]+)>$'))
  else regexp_replace(address, '[\u2010-\u2015]', '', 'g') end as spelled) as s
order by environment_id, channel, spelled, created_at
on conflict (environment_id, channel, address) do nothing;
