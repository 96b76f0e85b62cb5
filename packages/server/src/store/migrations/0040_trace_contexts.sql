-- The trace context (W3C) that a trigger request came with, or that of the request's own span: what is done with the
-- event later, in other processes, belongs to the same trace. Null for most events.
alter table events add column trace_context text;
alter table webhook_events add column trace_context text;
