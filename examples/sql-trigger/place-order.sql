-- Inserts an order and triggers its notification in one transaction: psql "$URL" -f place-order.sql
begin;
with placed as (
  insert into orders (customer_id, total) values ('ada', 42.50) returning id, customer_id
)
select tidings.trigger('order-paid', customer_id, jsonb_build_object('order', id)) from placed;
commit;
