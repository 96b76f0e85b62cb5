-- without a transaction
-- Finds the people of an audience by their language: a locale, or how it begins.
create index concurrently if not exists subscribers_locale on subscribers (environment_id, locale collate "C")
  where locale is not null;
