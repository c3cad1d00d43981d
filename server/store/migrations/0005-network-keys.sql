-- Tables that grow refer to their network by number. Its public id took 26 characters in every row and in every index key.
-- (Dropping the old tables drops their triggers. Their indexes are dropped first, so that the file grows less.)

DROP INDEX sessions_by_status;
DROP INDEX sessions_by_server;
DROP INDEX sessions_by_silence;
DROP INDEX sessions_offline;
DROP INDEX tasks_by_network;
DROP INDEX tasks_to_start;
DROP INDEX tasks_in_work;
DROP INDEX tasks_overtime;
DROP INDEX tasks_delivered;
DROP INDEX tasks_running;
DROP INDEX tasks_settled;
DROP INDEX tasks_live_by_assignee;
DROP INDEX tasks_live_by_sender;
DROP INDEX tasks_settled_by_assignee;
DROP INDEX tasks_settled_by_sender;
DROP INDEX messages_by_id;
DROP INDEX messages_pending;
DROP INDEX messages_done;
DROP INDEX messages_by_task;
DROP INDEX messages_by_network;
DROP INDEX messages_by_broadcast;
DROP INDEX completions_by_network;
DROP INDEX completions_by_alias;
DROP INDEX nodes_by_network;
DROP INDEX task_events_by_task;
DROP INDEX task_events_by_network;
DROP INDEX events_by_network;
ALTER TABLE sessions RENAME TO old_sessions;
ALTER TABLE session_counts RENAME TO old_session_counts;
ALTER TABLE tasks RENAME TO old_tasks;
ALTER TABLE task_counts RENAME TO old_task_counts;
ALTER TABLE broadcasts RENAME TO old_broadcasts;
ALTER TABLE messages RENAME TO old_messages;
ALTER TABLE inboxes RENAME TO old_inboxes;
ALTER TABLE completions RENAME TO old_completions;
ALTER TABLE nodes RENAME TO old_nodes;
ALTER TABLE task_events RENAME TO old_task_events;
ALTER TABLE events RENAME TO old_events;

CREATE TABLE sessions (
  session_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
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
  UNIQUE (network_seq, alias),
  UNIQUE (network_seq, resume_id)
) STRICT;
INSERT INTO sessions
SELECT
  session_seq, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), resume_id, alias, status, marked_offline, agent, model, task,
  progress, score, output, channels, server, hostname, project_dir, version, tmux_name, node_id, session_id, config_path, node_name, last_seen_at
FROM old_sessions o ORDER BY session_seq;

-- The number of sessions of each network, so that a new session does not count them.
CREATE TABLE session_counts (
  network_seq INTEGER PRIMARY KEY REFERENCES networks (network_seq) ON DELETE CASCADE,
  sessions INTEGER NOT NULL CHECK (sessions >= 0)
) STRICT;
INSERT INTO session_counts SELECT (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), sessions FROM old_session_counts o;

CREATE TABLE tasks (
  task_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT NOT NULL UNIQUE,
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
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
  -- 1 while a running task is past its ttl and its assignee is there. It is looked at again when the assignee goes.
  overtime INTEGER NOT NULL DEFAULT 0 CHECK (overtime = 0 OR overtime = 1),
  CHECK ((completed_at IS NULL) = (status IN ('delivered', 'running'))),
  CHECK (status <> 'delivered' OR started_at IS NULL),
  CHECK (status <> 'running' OR started_at IS NOT NULL)
) STRICT;
INSERT INTO tasks
SELECT
  task_seq, task_id, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), from_name, to_name, priority, status, content, context,
  result, attempt, ttl_seconds, created_at, delivered_at, started_at, completed_at, expires_at, acked_at, overtime
FROM old_tasks o ORDER BY task_seq;

-- The number of tasks of each status in a network. Sent tasks are counted once per group of writes; the triggers below count
-- later changes.
CREATE TABLE task_counts (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status = 'delivered' OR status = 'running' OR status = 'replied' OR status = 'failed' OR status = 'cancelled' OR status = 'expired'),
  tasks INTEGER NOT NULL CHECK (tasks >= 0),
  PRIMARY KEY (network_seq, status)
) STRICT, WITHOUT ROWID;
INSERT INTO task_counts SELECT (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), status, tasks FROM old_task_counts o;

-- The text of a broadcast, stored once for all recipients. It is removed with the last of their messages.
CREATE TABLE broadcasts (
  broadcast_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_seq INTEGER NOT NULL,
  content TEXT NOT NULL
) STRICT;
INSERT INTO broadcasts
SELECT broadcast_seq, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), content FROM old_broadcasts o
WHERE network_id IN (SELECT network_id FROM networks) ORDER BY broadcast_seq;

-- A message of type `task` is an attempt. It refers to its task and does not copy it.
CREATE TABLE messages (
  message_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT, -- null for the first attempt of a task, whose id is that of the task
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type = 'task' OR type = 'message' OR type = 'reply' OR type = 'broadcast' OR type = 'cancel'),
  priority TEXT NOT NULL CHECK (priority = 'high' OR priority = 'normal' OR priority = 'low'),
  urgency INTEGER GENERATED ALWAYS AS (CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END) VIRTUAL,
  content TEXT, -- null where it is that of the task or of the broadcast
  from_session TEXT, -- null where it is the sender of the task
  task_seq INTEGER REFERENCES tasks (task_seq) ON DELETE CASCADE,
  attempt INTEGER,
  broadcast_seq INTEGER REFERENCES broadcasts (broadcast_seq),
  in_reply_to TEXT,
  status TEXT CHECK (status = 'replied' OR status = 'failed' OR status = 'cancelled'),
  response TEXT,
  created_at INTEGER NOT NULL,
  notified_at INTEGER, -- pushed on a live stream
  fetched_at INTEGER, -- first returned by get_inbox
  acked_at INTEGER,
  withdrawn_at INTEGER, -- its attempt of the task ended
  -- 0 for the live attempt of a task, of which there is one; otherwise the attempt
  place INTEGER GENERATED ALWAYS AS (CASE WHEN type = 'task' AND withdrawn_at IS NULL THEN 0 ELSE attempt END) VIRTUAL,
  CHECK (type <> 'task' OR (task_seq IS NOT NULL AND attempt IS NOT NULL)),
  CHECK (id IS NOT NULL OR (type = 'task' AND attempt = 1)),
  CHECK ((content IS NULL) = (type = 'task' OR broadcast_seq IS NOT NULL)),
  CHECK ((from_session IS NULL) = (type = 'task')),
  CHECK (broadcast_seq IS NULL OR type = 'broadcast')
) STRICT;
INSERT INTO messages (
  message_seq, id, network_seq, alias, type, priority, content, from_session, task_seq, attempt, broadcast_seq, in_reply_to, status, response,
  created_at, notified_at, fetched_at, acked_at, withdrawn_at)
SELECT
  message_seq, id, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), alias, type, priority, content, from_session, task_seq,
  attempt, broadcast_seq, in_reply_to, status, response, created_at, notified_at, fetched_at, acked_at, withdrawn_at
FROM old_messages o ORDER BY message_seq;

-- The number of pending messages of each alias. The code that stores a message counts it; the triggers below count later
-- changes.
CREATE TABLE inboxes (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  pending INTEGER NOT NULL CHECK (pending >= 0),
  PRIMARY KEY (network_seq, alias)
) STRICT, WITHOUT ROWID;
INSERT INTO inboxes SELECT (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), alias, pending FROM old_inboxes o;

CREATE TABLE completions (
  completion_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  task TEXT NOT NULL,
  result TEXT NOT NULL,
  artifacts TEXT,
  score REAL CHECK (score BETWEEN 0 AND 10),
  duration_minutes REAL,
  task_id TEXT,
  completed_at INTEGER NOT NULL
) STRICT;
INSERT INTO completions
SELECT
  completion_seq, id, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), alias, task, result, artifacts, score,
  duration_minutes, task_id, completed_at
FROM old_completions o ORDER BY completion_seq;

CREATE TABLE nodes (
  node_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
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
  UNIQUE (network_seq, node_id)
) STRICT;
INSERT INTO nodes
SELECT
  node_seq, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), node_id, node_name, alias, server, hostname, project_dir, version,
  agent, model, first_seen_at, last_seen_at
FROM old_nodes o ORDER BY node_seq;

-- Task events are also stream events, see schema 4. Written for a whole group of writes in one statement, before the commit.
CREATE TABLE task_events (
  event_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_seq INTEGER NOT NULL, -- of its task, with which it goes
  task_seq INTEGER NOT NULL REFERENCES tasks (task_seq) ON DELETE CASCADE,
  from_status TEXT,
  to_status TEXT NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT,
  is_event INTEGER NOT NULL CHECK (is_event = 0 OR is_event = 1), -- 0 for one that was numbered apart, before schema 4
  alias TEXT, -- the addressee of the `new_task` event that it is too
  created_at INTEGER NOT NULL,
  CHECK (alias IS NULL OR (is_event = 1 AND from_status IS NULL))
) STRICT;
INSERT INTO task_events
SELECT o.event_seq, t.network_seq, o.task_seq, o.from_status, o.to_status, o.actor, o.detail, o.is_event, o.alias, o.created_at
FROM old_task_events o CROSS JOIN tasks t ON t.task_seq = o.task_seq ORDER BY o.event_seq;

-- Without a foreign key to networks: the events of a group of writes are stored just before the commit.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_seq INTEGER NOT NULL,
  alias TEXT, -- the addressee; null for what only the network's stream carries
  name TEXT NOT NULL CHECK (name = 'new_task' OR name = 'new_message' OR name = 'new_reply' OR name = 'broadcast' OR name = 'session' OR name = 'task'),
  message_seq INTEGER, -- the message that it announces
  data TEXT, -- of an event that announces no message
  created_at INTEGER NOT NULL,
  CHECK ((message_seq IS NULL) = (data IS NOT NULL))
) STRICT;
-- Events of removed networks have no readers.
INSERT INTO events
SELECT seq, (SELECT n.network_seq FROM networks n WHERE n.network_id = o.network_id), alias, name, message_seq, data, created_at FROM old_events o
WHERE network_id IN (SELECT network_id FROM networks) ORDER BY seq;

-- Each table continues after the highest number that it ever used.
DELETE FROM sqlite_sequence WHERE name IN ('sessions', 'tasks', 'broadcasts', 'messages', 'completions', 'nodes', 'task_events', 'events');
UPDATE sqlite_sequence SET name = substr(name, length('old_') + 1)
WHERE name IN ('old_sessions', 'old_tasks', 'old_broadcasts', 'old_messages', 'old_completions', 'old_nodes', 'old_task_events', 'old_events');
DROP TABLE old_events;
DROP TABLE old_task_events;
DROP TABLE old_nodes;
DROP TABLE old_completions;
DROP TABLE old_inboxes;
DROP TABLE old_messages;
DROP TABLE old_broadcasts;
DROP TABLE old_task_counts;
DROP TABLE old_tasks;
DROP TABLE old_session_counts;
DROP TABLE old_sessions;

CREATE INDEX sessions_by_status ON sessions (network_seq, CASE WHEN marked_offline = 1 THEN 'offline' ELSE status END, alias);
CREATE INDEX sessions_by_server ON sessions (network_seq, server, alias) WHERE server IS NOT NULL;
CREATE INDEX sessions_by_silence ON sessions (network_seq, last_seen_at) WHERE marked_offline = 0 AND status <> 'offline';
CREATE INDEX sessions_offline ON sessions (network_seq, last_seen_at) WHERE marked_offline = 1 OR status = 'offline';
CREATE INDEX tasks_by_network ON tasks (network_seq, task_seq);
CREATE INDEX tasks_to_start ON tasks (network_seq, expires_at) WHERE status = 'delivered';
CREATE INDEX tasks_in_work ON tasks (network_seq, expires_at) WHERE status = 'running' AND overtime = 0;
CREATE INDEX tasks_overtime ON tasks (network_seq, to_name) WHERE overtime = 1;
CREATE INDEX tasks_delivered ON tasks (network_seq, task_seq) WHERE status = 'delivered';
CREATE INDEX tasks_running ON tasks (network_seq, task_seq) WHERE status = 'running';
CREATE INDEX tasks_settled ON tasks (network_seq, status, task_seq) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_live_by_assignee ON tasks (network_seq, to_name, task_seq) WHERE completed_at IS NULL;
CREATE INDEX tasks_live_by_sender ON tasks (network_seq, from_name, task_seq) WHERE completed_at IS NULL;
CREATE INDEX tasks_settled_by_assignee ON tasks (network_seq, to_name, task_seq) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_settled_by_sender ON tasks (network_seq, from_name, task_seq) WHERE completed_at IS NOT NULL;
CREATE UNIQUE INDEX messages_by_id ON messages (id) WHERE id IS NOT NULL;
CREATE INDEX messages_pending ON messages (network_seq, alias, urgency, message_seq) WHERE acked_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX messages_done ON messages (network_seq, alias, message_seq) WHERE acked_at IS NOT NULL OR withdrawn_at IS NOT NULL;
CREATE UNIQUE INDEX messages_by_task ON messages (task_seq, place, type) WHERE task_seq IS NOT NULL;
CREATE INDEX messages_by_network ON messages (network_seq, message_seq);
CREATE INDEX messages_by_broadcast ON messages (broadcast_seq) WHERE broadcast_seq IS NOT NULL;
CREATE INDEX completions_by_network ON completions (network_seq, completion_seq);
CREATE INDEX completions_by_alias ON completions (network_seq, alias, completion_seq);
CREATE INDEX nodes_by_network ON nodes (network_seq, node_seq);
CREATE INDEX task_events_by_task ON task_events (task_seq, event_seq);
CREATE INDEX task_events_by_network ON task_events (network_seq, event_seq, created_at, from_status, to_status, alias);
CREATE INDEX events_by_network ON events (network_seq, seq, alias);

CREATE TRIGGER session_leaves AFTER UPDATE OF marked_offline, status, alias ON sessions
WHEN new.marked_offline = 1 OR new.status = 'offline' OR new.alias <> old.alias
BEGIN
  UPDATE tasks SET overtime = 0 WHERE network_seq = old.network_seq AND to_name = old.alias AND overtime = 1;
  -- A rename has taken its tasks along already.
  UPDATE tasks SET overtime = 0 WHERE network_seq = old.network_seq AND to_name = new.alias AND overtime = 1;
END;
CREATE TRIGGER session_added AFTER INSERT ON sessions
BEGIN
  INSERT INTO session_counts (network_seq, sessions) VALUES (new.network_seq, 1)
  ON CONFLICT (network_seq) DO UPDATE SET sessions = sessions + 1;
END;
CREATE TRIGGER session_removed AFTER DELETE ON sessions
BEGIN
  UPDATE session_counts SET sessions = sessions - 1 WHERE network_seq = old.network_seq;
  UPDATE tasks SET overtime = 0 WHERE network_seq = old.network_seq AND to_name = old.alias AND overtime = 1;
END;
CREATE TRIGGER task_moved AFTER UPDATE OF status ON tasks WHEN old.status <> new.status
BEGIN
  UPDATE task_counts SET tasks = tasks - 1 WHERE network_seq = old.network_seq AND status = old.status;
  INSERT INTO task_counts (network_seq, status, tasks) VALUES (new.network_seq, new.status, 1)
  ON CONFLICT (network_seq, status) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_removed AFTER DELETE ON tasks
BEGIN
  UPDATE task_counts SET tasks = tasks - 1 WHERE network_seq = old.network_seq AND status = old.status;
END;
CREATE TRIGGER message_leaves AFTER UPDATE OF acked_at, withdrawn_at ON messages
WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL AND (new.acked_at IS NOT NULL OR new.withdrawn_at IS NOT NULL)
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_seq = old.network_seq AND alias = old.alias;
END;
CREATE TRIGGER message_follows AFTER UPDATE OF alias ON messages
WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL AND old.alias <> new.alias
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_seq = old.network_seq AND alias = old.alias;
  INSERT INTO inboxes (network_seq, alias, pending) VALUES (new.network_seq, new.alias, 1)
  ON CONFLICT (network_seq, alias) DO UPDATE SET pending = pending + 1;
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_seq = old.network_seq AND alias = old.alias;
END;
CREATE TRIGGER broadcast_removed AFTER DELETE ON messages WHEN old.broadcast_seq IS NOT NULL
BEGIN
  DELETE FROM broadcasts WHERE broadcast_seq = old.broadcast_seq
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.broadcast_seq = old.broadcast_seq);
END;
