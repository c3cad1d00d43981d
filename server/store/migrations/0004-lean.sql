-- Every fact is stored in one row, and every number that is shown is kept as a counter.

-- The number of tasks of each status in a network. Sent tasks are counted once per group of writes; these triggers count
-- later changes.
CREATE TABLE task_counts (
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status = 'delivered' OR status = 'running' OR status = 'replied' OR status = 'failed' OR status = 'cancelled' OR status = 'expired'),
  tasks INTEGER NOT NULL CHECK (tasks >= 0),
  PRIMARY KEY (network_id, status)
) STRICT, WITHOUT ROWID;
INSERT INTO task_counts (network_id, status, tasks) SELECT network_id, status, count(*) FROM tasks GROUP BY network_id, status;

CREATE TRIGGER task_moved AFTER UPDATE OF status ON tasks WHEN old.status <> new.status
BEGIN
  UPDATE task_counts SET tasks = tasks - 1 WHERE network_id = old.network_id AND status = old.status;
  INSERT INTO task_counts (network_id, status, tasks) VALUES (new.network_id, new.status, 1)
  ON CONFLICT (network_id, status) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER task_removed AFTER DELETE ON tasks
BEGIN
  UPDATE task_counts SET tasks = tasks - 1 WHERE network_id = old.network_id AND status = old.status;
END;

-- Indexes that a send updates only where needed: each list of tasks has one index of live tasks and one of settled tasks.
DROP INDEX tasks_by_status;
DROP INDEX tasks_by_assignee;
DROP INDEX tasks_by_sender;
DROP INDEX tasks_live_by_assignee;
DROP INDEX tasks_live_by_sender;
CREATE INDEX tasks_delivered ON tasks (network_id, task_seq) WHERE status = 'delivered';
CREATE INDEX tasks_running ON tasks (network_id, task_seq) WHERE status = 'running';
CREATE INDEX tasks_settled ON tasks (network_id, status, task_seq) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_live_by_assignee ON tasks (network_id, to_name, task_seq) WHERE completed_at IS NULL;
CREATE INDEX tasks_live_by_sender ON tasks (network_id, from_name, task_seq) WHERE completed_at IS NULL;
CREATE INDEX tasks_settled_by_assignee ON tasks (network_id, to_name, task_seq) WHERE completed_at IS NOT NULL;
CREATE INDEX tasks_settled_by_sender ON tasks (network_id, from_name, task_seq) WHERE completed_at IS NOT NULL;

-- The text of a broadcast, stored once for all recipients. It is removed with the last of their messages.
CREATE TABLE broadcasts (
  broadcast_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;

-- A message of type `task` is an attempt. It refers to its task and does not copy it.
DROP TRIGGER message_leaves;
DROP TRIGGER message_follows;
DROP TRIGGER message_removed;
DROP INDEX messages_pending;
DROP INDEX messages_one_live_per_task;
DROP INDEX messages_by_task;
DROP INDEX messages_by_network;
DROP INDEX messages_by_alias;
ALTER TABLE messages RENAME TO old_messages;
CREATE TABLE messages (
  message_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT, -- null for the first attempt of a task, whose id is that of the task
  network_id TEXT NOT NULL REFERENCES networks (network_id) ON DELETE CASCADE,
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
  message_seq, id, network_id, alias, type, priority, content, from_session, task_seq, attempt, in_reply_to, status, response,
  created_at, notified_at, fetched_at, acked_at, withdrawn_at)
SELECT
  o.message_seq, CASE WHEN o.type = 'task' AND o.attempt = 1 AND o.id = o.task_id THEN NULL ELSE o.id END, o.network_id, o.alias, o.type,
  o.priority, CASE WHEN o.type <> 'task' THEN o.content END, CASE WHEN o.type <> 'task' THEN o.from_session END, t.task_seq, o.attempt,
  o.in_reply_to, o.status, o.response, o.created_at, o.notified_at, o.fetched_at, o.acked_at, o.withdrawn_at
FROM old_messages o LEFT JOIN tasks t ON t.task_id = o.task_id ORDER BY o.message_seq;
DELETE FROM sqlite_sequence WHERE name = 'messages';
UPDATE sqlite_sequence SET name = 'messages' WHERE name = 'old_messages';
DROP TABLE old_messages;
CREATE UNIQUE INDEX messages_by_id ON messages (id) WHERE id IS NOT NULL;
CREATE INDEX messages_pending ON messages (network_id, alias, urgency, message_seq) WHERE acked_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX messages_done ON messages (network_id, alias, message_seq) WHERE acked_at IS NOT NULL OR withdrawn_at IS NOT NULL;
CREATE UNIQUE INDEX messages_by_task ON messages (task_seq, place, type) WHERE task_seq IS NOT NULL;
CREATE INDEX messages_by_network ON messages (network_id, message_seq);
CREATE INDEX messages_by_broadcast ON messages (broadcast_seq) WHERE broadcast_seq IS NOT NULL;

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
CREATE TRIGGER message_removed AFTER DELETE ON messages WHEN old.acked_at IS NULL AND old.withdrawn_at IS NULL
BEGIN
  UPDATE inboxes SET pending = pending - 1 WHERE network_id = old.network_id AND alias = old.alias;
END;
CREATE TRIGGER broadcast_removed AFTER DELETE ON messages WHEN old.broadcast_seq IS NOT NULL
BEGIN
  DELETE FROM broadcasts WHERE broadcast_seq = old.broadcast_seq
    AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.broadcast_seq = old.broadcast_seq);
END;

-- Task events are also stream events: a transition of a task is one row, which is also its `task` event and, for a sent task, its
-- `new_task` event. Both tables are numbered in one sequence. A row that is two events has the number of the second, and the
-- previous number is that of the first. The data of an event is read from the rows it refers to.
DROP INDEX task_events_by_task;
DROP INDEX task_events_by_network;
ALTER TABLE task_events RENAME TO old_task_events;
CREATE TABLE task_events (
  event_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL, -- of its task, with which it goes
  task_seq INTEGER NOT NULL REFERENCES tasks (task_seq) ON DELETE CASCADE,
  from_status TEXT,
  to_status TEXT NOT NULL,
  actor TEXT NOT NULL,
  detail TEXT,
  is_event INTEGER NOT NULL CHECK (is_event = 0 OR is_event = 1), -- 0 for one that was numbered apart, before this schema
  alias TEXT, -- the addressee of the `new_task` event that it is too
  created_at INTEGER NOT NULL,
  CHECK (alias IS NULL OR (is_event = 1 AND from_status IS NULL))
) STRICT;
INSERT INTO task_events (event_seq, network_id, task_seq, from_status, to_status, actor, detail, is_event, created_at)
SELECT o.event_seq, o.network_id, t.task_seq, o.from_status, o.to_status, o.actor, o.detail, 0, o.created_at
FROM old_task_events o JOIN tasks t ON t.task_id = o.task_id ORDER BY o.event_seq;
DELETE FROM sqlite_sequence WHERE name = 'task_events';
UPDATE sqlite_sequence SET name = 'task_events' WHERE name = 'old_task_events';
DROP TABLE old_task_events;
CREATE INDEX task_events_by_task ON task_events (task_seq, event_seq);
CREATE INDEX task_events_by_network ON task_events (network_id, event_seq, created_at, from_status, to_status, alias);

-- Events can be replayed from the number after this one.
ALTER TABLE hub ADD COLUMN events_after INTEGER NOT NULL DEFAULT 0;
UPDATE hub SET events_after = coalesce((SELECT min(seq) - 1 FROM events), (SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0);

DROP INDEX events_by_network;
ALTER TABLE events RENAME TO old_events;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  network_id TEXT NOT NULL,
  alias TEXT, -- the addressee; null for what only the network's stream carries
  name TEXT NOT NULL CHECK (name = 'new_task' OR name = 'new_message' OR name = 'new_reply' OR name = 'broadcast' OR name = 'session' OR name = 'task'),
  message_seq INTEGER, -- the message that it announces
  data TEXT, -- of an event that announces no message
  created_at INTEGER NOT NULL,
  CHECK ((message_seq IS NULL) = (data IS NOT NULL))
) STRICT;
INSERT INTO events (seq, network_id, alias, name, data, created_at)
SELECT seq, network_id, alias, name, data, created_at FROM old_events ORDER BY seq;
DELETE FROM sqlite_sequence WHERE name = 'events';
UPDATE sqlite_sequence SET name = 'events' WHERE name = 'old_events';
DROP TABLE old_events;
CREATE INDEX events_by_network ON events (network_id, seq, alias);
