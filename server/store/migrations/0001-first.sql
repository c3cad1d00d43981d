-- The first schema. Times are milliseconds since the epoch. Strict tables, checks and unique indexes make invalid states
-- impossible to store. (Checks use `a = 1 OR a = 2`, because for `IN` SQLite builds an index at every insert, which takes a
-- third of its time.)

CREATE TABLE hub (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  epoch TEXT NOT NULL, -- the first half of every event id; a restored database gets a new one
  access_version INTEGER NOT NULL DEFAULT 0 -- rises with every change of who may do what
) STRICT;

CREATE TABLE users (
  user_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL UNIQUE,
  username TEXT NOT NULL,
  username_key TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role = 'admin' OR role = 'user'),
  email TEXT,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE networks (
  network_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL UNIQUE,
  network_name TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES users (user_id),
  visibility TEXT NOT NULL DEFAULT 'private' CHECK (visibility = 'private'),
  max_members INTEGER NOT NULL CHECK (max_members BETWEEN 1 AND 1000),
  description TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  trial_ends_at INTEGER
) STRICT;
CREATE INDEX networks_by_owner ON networks (owner_id, network_seq);

CREATE TABLE members (
  member_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role = 'owner' OR role = 'member' OR role = 'viewer'),
  joined_at INTEGER NOT NULL,
  UNIQUE (network_id, user_id)
) STRICT;
CREATE UNIQUE INDEX members_one_owner ON members (network_id) WHERE role = 'owner';
CREATE INDEX members_by_user ON members (user_id, member_seq);

CREATE TABLE tokens (
  token_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  token_id TEXT NOT NULL UNIQUE,
  token_hash TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
  network_id TEXT REFERENCES networks (network_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind = 'user' OR kind = 'network'),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER,
  CHECK ((kind = 'network') = (network_id IS NOT NULL))
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id, token_seq);
CREATE INDEX tokens_by_network ON tokens (network_id);

CREATE TABLE sessions (
  session_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  resume_id TEXT NOT NULL,
  alias TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'working' OR status = 'idle' OR status = 'blocked' OR status = 'error' OR status = 'waiting_input' OR status = 'offline'),
  marked_offline INTEGER NOT NULL DEFAULT 0 CHECK (marked_offline = 0 OR marked_offline = 1),
  agent TEXT,
  model TEXT,
  task TEXT,
  progress REAL CHECK (progress BETWEEN 0 AND 100),
  score REAL CHECK (score BETWEEN 1 AND 10),
  output TEXT,
  channels TEXT,
  server TEXT,
  hostname TEXT,
  project_dir TEXT,
  version TEXT,
  tmux_name TEXT,
  node_id TEXT,
  session_id TEXT,
  config_path TEXT,
  node_name TEXT,
  last_seen_at INTEGER NOT NULL,
  UNIQUE (network_id, alias),
  UNIQUE (network_id, resume_id)
) STRICT;
CREATE INDEX sessions_by_silence ON sessions (last_seen_at) WHERE marked_offline = 0 AND status <> 'offline';

CREATE TABLE tasks (
  task_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT NOT NULL UNIQUE,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  from_name TEXT NOT NULL,
  to_name TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority = 'high' OR priority = 'normal' OR priority = 'low'),
  status TEXT NOT NULL CHECK (status = 'delivered' OR status = 'running' OR status = 'replied' OR status = 'failed' OR status = 'cancelled' OR status = 'expired'),
  content TEXT NOT NULL,
  context TEXT,
  result TEXT,
  attempt INTEGER NOT NULL DEFAULT 1 CHECK (attempt >= 1),
  ttl_seconds INTEGER NOT NULL CHECK (ttl_seconds BETWEEN 1 AND 86400),
  created_at INTEGER NOT NULL,
  delivered_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  expires_at INTEGER NOT NULL,
  acked_at INTEGER,
  CHECK ((completed_at IS NULL) = (status IN ('delivered', 'running'))),
  CHECK (status <> 'delivered' OR started_at IS NULL),
  CHECK (status <> 'running' OR started_at IS NOT NULL)
) STRICT;
CREATE INDEX tasks_by_network ON tasks (network_id, task_seq);
CREATE INDEX tasks_by_status ON tasks (network_id, status, task_seq);
CREATE INDEX tasks_by_assignee ON tasks (network_id, to_name, task_seq);
CREATE INDEX tasks_by_sender ON tasks (network_id, from_name, task_seq);
CREATE INDEX tasks_to_start ON tasks (expires_at) WHERE status = 'delivered';
CREATE INDEX tasks_in_work ON tasks (expires_at) WHERE status = 'running';
CREATE INDEX tasks_live_by_assignee ON tasks (network_id, to_name) WHERE status IN ('delivered', 'running');

CREATE TABLE messages (
  message_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type = 'task' OR type = 'message' OR type = 'reply' OR type = 'broadcast' OR type = 'cancel'),
  priority TEXT NOT NULL CHECK (priority = 'high' OR priority = 'normal' OR priority = 'low'),
  urgency INTEGER GENERATED ALWAYS AS (CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END) VIRTUAL,
  content TEXT NOT NULL,
  context TEXT,
  from_session TEXT NOT NULL,
  task_id TEXT REFERENCES tasks (task_id) ON DELETE CASCADE,
  attempt INTEGER,
  in_reply_to TEXT,
  status TEXT CHECK (status = 'replied' OR status = 'failed' OR status = 'cancelled'),
  response TEXT,
  created_at INTEGER NOT NULL,
  notified_at INTEGER, -- pushed on a live stream
  fetched_at INTEGER, -- first returned by get_inbox
  acked_at INTEGER,
  withdrawn_at INTEGER, -- its attempt of the task ended
  CHECK (type <> 'task' OR (task_id IS NOT NULL AND attempt IS NOT NULL))
) STRICT;
CREATE INDEX messages_pending ON messages (network_id, alias, urgency, message_seq) WHERE acked_at IS NULL AND withdrawn_at IS NULL;
CREATE UNIQUE INDEX messages_one_live_per_task ON messages (task_id) WHERE type = 'task' AND withdrawn_at IS NULL;
CREATE UNIQUE INDEX messages_by_task ON messages (task_id, attempt, type) WHERE task_id IS NOT NULL;
CREATE INDEX messages_by_network ON messages (network_id, message_seq);
CREATE INDEX messages_by_alias ON messages (network_id, alias, message_seq);

-- The number of pending messages of each alias, so that a send does not count a long inbox. The code that stores a message
-- counts it (a trigger took twice the time); the triggers below count later changes.
CREATE TABLE inboxes (
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  pending INTEGER NOT NULL CHECK (pending >= 0),
  PRIMARY KEY (network_id, alias)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER message_leaves AFTER UPDATE OF acked_at, withdrawn_at ON messages
WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL AND (new.acked_at IS NOT NULL OR new.withdrawn_at IS NOT NULL)
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_id = old.network_id AND alias = old.alias;
END;

CREATE TRIGGER message_follows AFTER UPDATE OF alias ON messages
WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL AND old.alias <> new.alias
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_id = old.network_id AND alias = old.alias;
  INSERT INTO inboxes (network_id, alias, pending) VALUES (new.network_id, new.alias, 1)
  ON CONFLICT (network_id, alias) DO UPDATE SET pending = pending + 1;
END;

CREATE TABLE completions (
  completion_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  task TEXT NOT NULL,
  result TEXT NOT NULL,
  artifacts TEXT,
  score REAL CHECK (score BETWEEN 0 AND 10),
  duration_minutes REAL,
  task_id TEXT,
  completed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX completions_by_network ON completions (network_id, completion_seq);
CREATE INDEX completions_by_alias ON completions (network_id, alias, completion_seq);

-- Written for a whole group of writes in one statement, before the commit.
CREATE TABLE task_events (
  event_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL, -- of its task, with which it goes
  task_id TEXT NOT NULL REFERENCES tasks (task_id) ON DELETE CASCADE,
  from_status TEXT,
  to_status TEXT NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX task_events_by_task ON task_events (task_id, event_seq);
CREATE INDEX task_events_by_network ON task_events (network_id, event_seq, created_at, from_status, to_status);

-- Without a foreign key to networks: the events of a group of writes are stored just before the commit, and a later write
-- of the group may have removed the network by then.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL,
  alias TEXT, -- the addressee; null for what only the network's stream carries
  name TEXT NOT NULL CHECK (name = 'new_task' OR name = 'new_message' OR name = 'new_reply' OR name = 'broadcast' OR name = 'session' OR name = 'task'),
  data TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_network ON events (network_id, seq, alias);

CREATE TABLE invites (
  invite_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  invite_id TEXT NOT NULL UNIQUE,
  code_hash TEXT NOT NULL UNIQUE,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role = 'member' OR role = 'viewer'),
  max_uses INTEGER NOT NULL CHECK (max_uses BETWEEN 1 AND 1000),
  uses INTEGER NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX invites_by_network ON invites (network_id, invite_seq);

CREATE TABLE nodes (
  node_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  node_id TEXT NOT NULL,
  node_name TEXT,
  alias TEXT NOT NULL, -- who reported it last
  server TEXT,
  hostname TEXT,
  project_dir TEXT,
  version TEXT,
  agent TEXT,
  model TEXT,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  UNIQUE (network_id, node_id)
) STRICT;
CREATE INDEX nodes_by_network ON nodes (network_id, node_seq);

-- The first response to each idempotency_key, kept for 24 hours.
CREATE TABLE idempotency (
  token_id TEXT NOT NULL REFERENCES tokens (token_id) ON DELETE CASCADE,
  idempotency_key TEXT NOT NULL,
  call_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (token_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE audit_log (
  entry_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  target_type TEXT NOT NULL,
  target_id TEXT,
  detail TEXT,
  ip TEXT,
  network_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_log_by_network ON audit_log (network_id, entry_seq);
CREATE INDEX audit_log_by_action ON audit_log (action, entry_seq);
CREATE INDEX audit_log_by_actor ON audit_log (actor, entry_seq);

-- These tables decide who may do what. Every change of them increments the version, so that callers can be cached and no
-- cached caller outlives a change. The last use of a token changes no permission.
CREATE TRIGGER token_removed AFTER DELETE ON tokens BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER member_added AFTER INSERT ON members BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER member_changed AFTER UPDATE ON members BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER member_removed AFTER DELETE ON members BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER user_changed AFTER UPDATE ON users BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER user_removed AFTER DELETE ON users BEGIN UPDATE hub SET access_version = access_version + 1; END;
CREATE TRIGGER network_changed AFTER UPDATE ON networks BEGIN UPDATE hub SET access_version = access_version + 1; END;

INSERT INTO hub (only_row, epoch) VALUES (1, lower(hex(randomblob(6))));
