-- The index of all tasks by network was written with every send, for the one list that has no filter. The list now joins the delivered, the
-- running and the settled tasks, each in their order.
DROP INDEX tasks_by_network;
CREATE INDEX tasks_settled_in_order ON tasks (network_seq, task_seq) WHERE completed_at IS NOT NULL;

-- Without that index, the reference of a task to its network would scan all tasks when a network is deleted; the deletion removes its tasks
-- first. Both changes leave the rows as they are, so they are made in the stored schema: copying a million tasks would take minutes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE',
  'network_seq INTEGER NOT NULL') WHERE name = 'tasks';
UPDATE sqlite_schema SET sql = replace(replace(sql, 'to_status TEXT NOT NULL,', 'to_status TEXT, -- null where it is the sending, to delivered'),
  'CHECK (alias IS NULL OR', 'CHECK (to_status IS NOT NULL OR from_status IS NULL),
  CHECK (alias IS NULL OR') WHERE name = 'task_events';
PRAGMA writable_schema = RESET;

UPDATE task_events SET to_status = NULL WHERE from_status IS NULL AND to_status = 'delivered';

-- The notifiers with something due are found user by user, so that no user waits for the many of another.
DROP INDEX notifiers_due;
CREATE INDEX notifiers_due_by_user ON notifiers (user_id, due_at) WHERE due_at IS NOT NULL;
