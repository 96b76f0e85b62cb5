-- Why an event was refused: its workflow was off. It is stored for people who look for it, and nothing is sent.
alter table events add column refusal text;

-- What refused events are found by, beside their ids: the transaction id of the caller, and the subscribers that they name. These
-- transaction ids are free: an event that is accepted later may have one of them.
create table refused_event_names (
  environment_id uuid not null references environments on delete cascade,
  kind           text not null check (kind in ('transaction', 'subscriber')),
  name           text not null,
  event_id       uuid not null,
  primary key (environment_id, kind, name, event_id)
);
create index refused_event_names_event on refused_event_names (event_id);
