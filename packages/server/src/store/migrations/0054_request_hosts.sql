-- The circuit breakers of the hosts that `http_request` steps call. A host without failures has no row. `url`: scheme,
-- host and port (docs/decisions/0047-http-requests.md).
create table request_hosts (
  environment_id uuid not null references environments (id) on delete cascade,
  url            text not null,
  state          text not null check (state in ('closed', 'open', 'half_open')),
  failures       integer not null,
  probes         integer not null,
  opened_at      timestamptz,
  next_probe_at  timestamptz,
  updated_at     timestamptz not null,
  primary key (environment_id, url)
);
create index request_hosts_age on request_hosts (updated_at);
