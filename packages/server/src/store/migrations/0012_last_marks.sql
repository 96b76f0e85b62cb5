-- When a message was last seen and read, kept when it is marked unseen or unread again (or comes back from a snooze).
-- While seen_at or read_at is set, that is the last time; these columns are written only when it is taken away.
alter table messages add column last_seen_at timestamptz;
alter table messages add column last_read_at timestamptz;
