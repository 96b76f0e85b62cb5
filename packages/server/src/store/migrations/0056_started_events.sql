-- Which step of which run started an event, and the workflows before it. Null: an event of a request.
alter table events add column started_by jsonb;
