-- Public ids, the addresses that users sign in from, and a narrower definition of a change of permissions.

-- The key that encrypts sequence numbers into cursors and event ids, which reveal nothing about other networks.
ALTER TABLE hub ADD COLUMN id_key TEXT NOT NULL DEFAULT '';
UPDATE hub SET id_key = lower(hex(randomblob(16)));

-- Addresses from which a user has signed in. Failed logins from other addresses do not use up their attempts.
CREATE TABLE sign_ins (
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  address TEXT NOT NULL, -- an IPv4 address, or the /64 of an IPv6 address
  last_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, address)
) STRICT, WITHOUT ROWID;

-- A display name, a password or the name of a network does not affect permissions.
DROP TRIGGER user_changed;
CREATE TRIGGER user_changed AFTER UPDATE OF role, disabled_at ON users
BEGIN UPDATE hub SET access_version = access_version + 1; END;
DROP TRIGGER network_changed;
CREATE TRIGGER network_changed AFTER UPDATE OF trial_ends_at ON networks
WHEN old.trial_ends_at IS NOT new.trial_ends_at
BEGIN UPDATE hub SET access_version = access_version + 1; END;

-- Finds the least recently used addresses of a user.
CREATE INDEX sign_ins_by_time ON sign_ins (user_id, last_at, address);

-- Sessions by current status, which lists filter and count by, and by server.
CREATE INDEX sessions_by_status ON sessions (network_id, CASE WHEN marked_offline = 1 THEN 'offline' ELSE status END, alias);
CREATE INDEX sessions_by_server ON sessions (network_id, server, alias) WHERE server IS NOT NULL;

-- Expiry is checked in one network at a time, so that no write waits for the expiry of other networks.
DROP INDEX sessions_by_silence;
CREATE INDEX sessions_by_silence ON sessions (network_id, last_seen_at) WHERE marked_offline = 0 AND status <> 'offline';
CREATE INDEX sessions_offline ON sessions (network_id, last_seen_at) WHERE marked_offline = 1 OR status = 'offline';

-- 1 while a running task is past its ttl and its assignee is online. It is checked again when the assignee goes offline.
ALTER TABLE tasks ADD COLUMN overtime INTEGER NOT NULL DEFAULT 0 CHECK (overtime = 0 OR overtime = 1);
DROP INDEX tasks_to_start;
DROP INDEX tasks_in_work;
CREATE INDEX tasks_to_start ON tasks (network_id, expires_at) WHERE status = 'delivered';
CREATE INDEX tasks_in_work ON tasks (network_id, expires_at) WHERE status = 'running' AND overtime = 0;
CREATE INDEX tasks_overtime ON tasks (network_id, to_name) WHERE overtime = 1;
CREATE INDEX tasks_live_by_sender ON tasks (network_id, from_name) WHERE status IN ('delivered', 'running');

CREATE TRIGGER session_leaves AFTER UPDATE OF marked_offline, status, alias ON sessions
WHEN new.marked_offline = 1 OR new.status = 'offline' OR new.alias <> old.alias
BEGIN
  UPDATE tasks SET overtime = 0 WHERE network_id = old.network_id AND to_name = old.alias AND overtime = 1;
  -- A rename has taken its tasks along already.
  UPDATE tasks SET overtime = 0 WHERE network_id = old.network_id AND to_name = new.alias AND overtime = 1;
END;

-- The number of sessions of each network, so that a new session does not count them.
CREATE TABLE session_counts (
  network_id TEXT PRIMARY KEY REFERENCES networks (network_id) ON DELETE CASCADE,
  sessions INTEGER NOT NULL CHECK (sessions >= 0)
) STRICT, WITHOUT ROWID;
INSERT INTO session_counts (network_id, sessions) SELECT network_id, count(*) FROM sessions GROUP BY network_id;

CREATE TRIGGER session_added AFTER INSERT ON sessions
BEGIN
  INSERT INTO session_counts (network_id, sessions) VALUES (new.network_id, 1)
  ON CONFLICT (network_id) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions
BEGIN
  UPDATE session_counts SET sessions = sessions - 1 WHERE network_id = old.network_id;
  UPDATE tasks SET overtime = 0 WHERE network_id = old.network_id AND to_name = old.alias AND overtime = 1;
END;

-- Open invites are counted when a new one is created.
CREATE INDEX invites_open ON invites (network_id, expires_at) WHERE uses < max_uses;

-- A pending message that is removed is no longer counted in its inbox.
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_id = old.network_id AND alias = old.alias;
END;
