-- How often a subscriber wants the digest of a workflow: instant, hourly, daily or weekly. Null: as the workflow decides
-- (docs/decisions/0043-digest-frequency.md).
alter table subscriber_preferences add column digest_frequency text;
