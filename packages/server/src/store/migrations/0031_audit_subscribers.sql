-- The subscriber whom an entry of the audit log is about: its `before` and `after` go with the subscriber.
alter table audit_log add column subscriber_id text;

update audit_log set subscriber_id = coalesce(
    before ->> 'subscriberId', after ->> 'subscriberId', after #>> '{request,subscriberId}', after #>> '{answer,subscriberId}',
    case when operation like 'subscribers.%' or operation like 'subscriberNotifications.%'
      then nullif(trim(split_part(target, '/', 1)), '') end)
where environment_id is not null;

-- Entries of older versions hold what new ones do not: payloads and addresses of events, files of imports, lists of subscribers …
update audit_log set after = jsonb_build_object('request', jsonb_strip_nulls(jsonb_build_object(
    'workflow', after #> '{request,name}', 'transactionId', after #> '{request,transactionId}')))
where operation in ('events.trigger', 'events.broadcast');
update audit_log set after = null where operation in ('events.triggerBulk', 'subscribers.createBulk', 'imports.create');
update audit_log set after = after #- '{request,payload}' where operation = 'deadLetterReplays.create' and jsonb_typeof(after -> 'request') = 'object';

-- … addresses that hold secrets …
update audit_log set before = case when before #> '{endpoint,url}' is null then before else jsonb_set(before, '{endpoint,url}', '"********"') end,
  after = case
    when after #> '{endpoint,url}' is not null then jsonb_set(after, '{endpoint,url}', '"********"')
    when after #> '{request,endpoint,url}' is not null then jsonb_set(after, '{request,endpoint,url}', '"********"')
    else after end
where operation like 'channelEndpoints.%';
update audit_log set before = case when before ->> 'url' is null then before else before || jsonb_build_object('url', regexp_replace(before ->> 'url', '[?#].*$', '')) end,
  after = case
    when after ->> 'url' is not null then after || jsonb_build_object('url', regexp_replace(after ->> 'url', '[?#].*$', ''))
    when after #>> '{request,url}' is not null
      then jsonb_set(after, '{request,url}', to_jsonb(regexp_replace(after #>> '{request,url}', '[?#].*$', '')))
    when after #>> '{answer,url}' is not null
      then jsonb_set(after, '{answer,url}', to_jsonb(regexp_replace(after #>> '{answer,url}', '[?#].*$', '')))
    else after end
where operation like 'webhooks.%';
update audit_log set after = jsonb_set(after, '{request,bridgeUrl}', to_jsonb(regexp_replace(after #>> '{request,bridgeUrl}', '[?#].*$', '')))
where operation = 'bridge.sync' and after #>> '{request,bridgeUrl}' is not null;

-- … and data of subscribers who have been deleted since.
update audit_log a set before = null, after = null
where a.subscriber_id is not null and (a.before is not null or a.after is not null)
  and not exists (select from subscribers s where s.environment_id = a.environment_id and s.subscriber_id = a.subscriber_id);

create index audit_log_subscriber on audit_log (environment_id, subscriber_id) where subscriber_id is not null;
