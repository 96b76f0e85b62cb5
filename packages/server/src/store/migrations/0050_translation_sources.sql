-- For each key of a translation, a hash of the default language's text that it was made from: when that text changes, the
-- translation is out of date. Null in rows of earlier versions: nothing is known about them.
alter table translations add column sources jsonb;
