-- The form in which addresses of people are compared: lib/addresses.ts folds it, and only ASCII letters. lower() also folds letters such
-- as U+212A (Kelvin sign) and U+0130 to ASCII ones, so that another address passed for that of a person.
alter table users add column email_key text;
alter table person_links add column email_key text;

update users set email_key = translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
where email is not null;
update person_links set email_key = translate(email, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')
where email is not null;

-- Where lower() kept apart what is equal now (a Turkish locale does so with I and i), the owner, else the oldest account keeps the address.
-- The others stay, under a key that no address has: they sign in with OpenID Connect, or an owner invites them under another address.
with same as (
  select id, row_number() over (
    partition by organization_id, email_key order by (role = 'owner') desc nulls last, created_at, id) as place
  from users where removed_at is null and email_key is not null)
update users u set email_key = u.email_key || ' ' || u.id from same where same.id = u.id and same.place > 1;

alter table users add constraint users_email_has_key check ((email is null) = (email_key is null));
alter table person_links add constraint person_links_email_has_key check ((email is null) = (email_key is null));
drop index users_email;
create unique index users_email_key on users (organization_id, email_key) where removed_at is null and email_key is not null;

-- Wrong guesses of the current password in this session, which end it.
alter table person_sessions add column wrong_passwords integer not null default 0;

-- States of sign-ins with OpenID Connect that were used, until they expire.
create table used_oidc_states (
  organization_id uuid not null references organizations (id) on delete cascade,
  state_hash      bytea not null,
  expires_at      timestamptz not null,
  primary key (organization_id, state_hash)
);
create index used_oidc_states_expiry on used_oidc_states (expires_at);

-- Streams of a person end with the session, or with the role that they need.
create function announce_people() returns trigger language plpgsql as $$
begin
  perform pg_notify('tidings_people', '');
  return null;
end $$;
create trigger announce_session_end after delete on person_sessions for each row execute function announce_people();
create trigger announce_person_change after update of role, removed_at on users for each row execute function announce_people();
