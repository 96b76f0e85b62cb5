-- How far ahead rates are used up that all processes share: the moment from which on each is free again. Not logged: after
-- a crash of the database every rate begins anew.
create unlogged table budgets (
  name    text primary key,
  next_at timestamptz not null
) with (fillfactor = 50);
