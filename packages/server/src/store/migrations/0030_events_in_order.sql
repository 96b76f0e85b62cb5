-- What an event itself says about its tenant: events that are accepted together, or that wait in the queue while others change
-- the tenant, each use their own.
alter table events add column tenant_fields jsonb;
-- Later events of its request, in order, which start when the whole audience of this one has been walked.
alter table events add column held_events uuid[];
