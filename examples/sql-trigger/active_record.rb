# Inserts an order and triggers its notification in one transaction, with ActiveRecord:
# ruby active_record.rb "$URL" ada 42.50
require "active_record"
require "json"

class Order < ActiveRecord::Base; end

def place_order(customer, total)
  Order.transaction do
    order = Order.create!(customer_id: customer, total: total)
    payload = { order: order.id }.to_json
    call = ["select tidings.trigger('order-paid', ?, ?)", customer, payload]
    Order.connection.select_value(Order.sanitize_sql(call))
  end
end

if $PROGRAM_NAME == __FILE__
  url, customer, total = ARGV
  ActiveRecord::Base.establish_connection(url)
  puts place_order(customer, total)
end
