-- A trigger on your own table: every change of an order's status notifies its customer, whatever program made it.
create function notify_order_status() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.status is distinct from old.status then
    perform tidings.trigger('order-status', new.customer_id, jsonb_build_object('order', new.id, 'status', new.status));
  end if;
  return null;
end $$;

create trigger notify_order_status after insert or update of status on orders
  for each row execute function notify_order_status();
