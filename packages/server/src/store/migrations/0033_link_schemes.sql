-- Schemes of apps whose links sanitising keeps in mails and in-app bodies, such as `myapp` of `myapp://order/7`.
alter table environments add column link_schemes text[] not null default '{}';
