-- The brand of an environment, and what contexts override of it. Null: nothing is set.
alter table environments add column brand jsonb;
alter table contexts add column brand jsonb;
