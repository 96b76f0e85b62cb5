-- What files put in place last in an environment: the fingerprint of each resource, by `<type>/<identifier>`. A plan of a build
-- server, which has no state of its own, tells by it what was changed in the environment since.
create table file_applies (
  environment_id uuid primary key references environments (id) on delete cascade,
  fingerprints   jsonb not null,
  applied_at     timestamptz not null
);
