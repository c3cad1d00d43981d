-- One fact, one row: numbers that are shown are kept as counters.

-- How many tasks of each status a network has. What sends a task counts it, once for a whole group of writes; these triggers
-- follow what becomes of it.
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
