-- without a transaction
-- Finds the people of an audience by a text in their data: `data @@ '$."plan" == "pro"'`.
create index concurrently if not exists subscribers_data on subscribers using gin (data jsonb_path_ops)
  where data is not null;
