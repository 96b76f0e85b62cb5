-- What a workflow should achieve, such as 99 % handed to the provider within 10 s; null: nothing in particular.
alter table workflows add column objectives jsonb;

-- Failed messages that no provider had accepted; the others bounced. Null in hours counted before it existed.
alter table statistics_hours add column unaccepted integer;
alter table deleted_messages add column unaccepted integer not null default 0;
