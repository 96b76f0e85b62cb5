-- The tables of the examples. An order of an unknown customer fails at the commit: by then its event was triggered.
create table customers (
  id   text primary key,
  name text not null
);

create table orders (
  id          integer generated always as identity primary key,
  customer_id text not null references customers deferrable initially deferred,
  total       numeric not null,
  status      text not null default 'new'
);

insert into customers (id, name) values ('ada', 'Ada'), ('grace', 'Grace');
