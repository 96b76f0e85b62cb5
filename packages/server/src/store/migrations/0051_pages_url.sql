-- The address of the hosted pages in links of mails, where an environment has its own domain. Null: that of the service.
alter table environments add column pages_url text;
