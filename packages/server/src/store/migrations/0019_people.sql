-- People who sign in to the dashboard: users with an email address and a role. Users without them are authors of API keys only.
alter table users
  add column email text,
  add column role text check (role in ('owner', 'editor', 'support', 'viewer')),
  add column password_hash text,
  add column oidc_subject text,
  add column last_sign_in_at timestamptz,
  add column removed_at timestamptz;
create unique index users_email on users (organization_id, lower(email)) where removed_at is null and email is not null;
create unique index users_oidc_subject on users (organization_id, oidc_subject)
  where removed_at is null and oidc_subject is not null;

create table person_sessions (
  id              uuid primary key,
  organization_id uuid not null references organizations (id) on delete cascade,
  user_id         uuid not null references users (id) on delete cascade,
  secret_hash     bytea not null unique,
  created_at      timestamptz not null,
  renewed_at      timestamptz not null,
  expires_at      timestamptz not null,
  address         text,
  user_agent      text
);
create index person_sessions_user on person_sessions (user_id, created_at);
create index person_sessions_expiry on person_sessions (expires_at);

-- Links that work once: of the first owner, of an invitation, of a new password.
create table person_links (
  id              uuid primary key,
  organization_id uuid not null references organizations (id) on delete cascade,
  kind            text not null check (kind in ('first', 'invitation', 'reset')),
  secret_hash     bytea not null unique,
  user_id         uuid references users (id) on delete cascade,
  email           text,
  role            text not null check (role in ('owner', 'editor', 'support', 'viewer')),
  created_by      uuid references users (id) on delete set null,
  created_at      timestamptz not null,
  expires_at      timestamptz not null
);
create index person_links_expiry on person_links (expires_at);

-- Names and addresses are copied, so that an entry outlives what it speaks of.
create table audit_log (
  id              uuid primary key,
  organization_id uuid not null references organizations (id) on delete cascade,
  environment_id  uuid,
  created_at      timestamptz not null,
  user_id         uuid,
  api_key_id      uuid,
  actor           text not null,
  operation       text not null,
  target          text,
  before          jsonb,
  after           jsonb,
  address         text,
  user_agent      text
);
create index audit_log_time on audit_log (organization_id, created_at, id);
create index audit_log_user on audit_log (user_id, created_at, id);
