-- The severity of an in-app message, so that counting an inbox by severity reads no notifications, and keeps it once they are deleted.
-- Null for messages of other channels, and for those from before this column: theirs is looked up.
alter table messages add column severity text;
