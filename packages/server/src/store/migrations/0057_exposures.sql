-- Who was in which variant of an experiment, and when: a row for each run that passes an experiment step. Rows go with
-- their run, so they are partitioned as jobs are (docs/decisions/0050-experiment-statistics.md). `step_id` is the internal
-- id of the step, which a new name does not change. `step_index`: its place in the version of the run.
create table exposures (
  environment_id  uuid not null,
  notification_id uuid not null,
  step_id         uuid not null,
  step_index      smallint not null,
  subscriber_id   uuid not null,
  variant         text not null,
  exposed_at      timestamptz not null,
  primary key (environment_id, notification_id, step_id)
) partition by range (notification_id);
create index exposures_step on exposures (environment_id, step_id, exposed_at);

do $$
declare
  part record;
begin
  for part in
    select replace(c.relname, 'jobs_', 'exposures_') as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobs'::regclass
  loop
    execute format('create table %I partition of exposures %s', part.name, part.bounds);
  end loop;
end $$;
