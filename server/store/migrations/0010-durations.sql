-- Every send wrote to the index of all tasks by network, and only the unfiltered list used it. That list now joins the delivered, running
-- and settled tasks, each in order.
DROP INDEX tasks_by_network;
CREATE INDEX tasks_settled_in_order ON tasks (network_seq, task_seq) WHERE completed_at IS NOT NULL;

-- Without that index, the foreign key of a task to its network would scan all tasks when a network is deleted. Instead, the deletion removes
-- its tasks first. Both changes keep the rows as they are, so they edit the stored schema: copying a million tasks would take minutes.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE',
  'network_seq INTEGER NOT NULL') WHERE name = 'tasks';
UPDATE sqlite_schema SET sql = replace(replace(sql, 'to_status TEXT NOT NULL,', 'to_status TEXT, -- null where it is the sending, to delivered'),
  'CHECK (alias IS NULL OR', 'CHECK (to_status IS NOT NULL OR from_status IS NULL),
  CHECK (alias IS NULL OR') WHERE name = 'task_events';
PRAGMA writable_schema = RESET;

UPDATE task_events SET to_status = NULL WHERE from_status IS NULL AND to_status = 'delivered';

-- Notifiers with due deliveries are found user by user, so that no user waits for the many notifiers of another.
DROP INDEX notifiers_due;
CREATE INDEX notifiers_due_by_user ON notifiers (user_id, due_at) WHERE due_at IS NOT NULL;

-- How long tasks waited to start and took to settle, so that their percentiles over a week need not read a million rows.
CREATE TABLE duration_counts (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL, -- '' for the whole network
  quarter INTEGER NOT NULL, -- of an hour, since the epoch
  measure TEXT NOT NULL CHECK (measure = 'started' OR measure = 'replied' OR measure = 'failed' OR measure = 'cancelled' OR measure = 'expired'),
  bucket INTEGER NOT NULL CHECK (bucket BETWEEN 0 AND 48), -- of durations; each begins at 1.5 times the one before
  tasks INTEGER NOT NULL,
  PRIMARY KEY (network_seq, alias, quarter, measure, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX duration_counts_by_quarter ON duration_counts (quarter);
INSERT INTO duration_counts (network_seq, alias, quarter, measure, bucket, tasks)
SELECT network_seq, iif(whole.value = 1, '', alias), at / 900000, measure,
  CASE WHEN ms < 10 THEN 0 WHEN ms < 15 THEN 1 WHEN ms < 22 THEN 2 WHEN ms < 33 THEN 3 WHEN ms < 49 THEN 4 WHEN ms < 73 THEN 5 WHEN ms < 109 THEN 6 WHEN ms < 163 THEN 7 WHEN ms < 244 THEN 8 WHEN ms < 366 THEN 9 WHEN ms < 549 THEN 10 WHEN ms < 823 THEN 11 WHEN ms < 1234 THEN 12 WHEN ms < 1851 THEN 13 WHEN ms < 2776 THEN 14 WHEN ms < 4164 THEN 15 WHEN ms < 6246 THEN 16 WHEN ms < 9369 THEN 17 WHEN ms < 14053 THEN 18 WHEN ms < 21079 THEN 19 WHEN ms < 31618 THEN 20 WHEN ms < 47427 THEN 21 WHEN ms < 71140 THEN 22 WHEN ms < 106710 THEN 23 WHEN ms < 160065 THEN 24 WHEN ms < 240097 THEN 25 WHEN ms < 360145 THEN 26 WHEN ms < 540217 THEN 27 WHEN ms < 810325 THEN 28 WHEN ms < 1215487 THEN 29 WHEN ms < 1823230 THEN 30 WHEN ms < 2734845 THEN 31 WHEN ms < 4102267 THEN 32 WHEN ms < 6153400 THEN 33 WHEN ms < 9230100 THEN 34 WHEN ms < 13845150 THEN 35 WHEN ms < 20767725 THEN 36 WHEN ms < 31151587 THEN 37 WHEN ms < 46727380 THEN 38 WHEN ms < 70091070 THEN 39 WHEN ms < 105136605 THEN 40 WHEN ms < 157704907 THEN 41 WHEN ms < 236557360 THEN 42 WHEN ms < 354836040 THEN 43 WHEN ms < 532254060 THEN 44 WHEN ms < 798381090 THEN 45 WHEN ms < 1197571635 THEN 46 WHEN ms < 1796357452 THEN 47 ELSE 48 END, count(*)
FROM (
  SELECT network_seq, to_name AS alias, started_at AS at, 'started' AS measure, started_at - delivered_at AS ms FROM tasks WHERE started_at IS NOT NULL
  UNION ALL
  SELECT network_seq, to_name, completed_at, status, completed_at - delivered_at FROM tasks WHERE completed_at IS NOT NULL
), json_each('[0, 1]') AS whole
WHERE at / 900000 >= (SELECT created_at FROM task_events ORDER BY event_seq DESC LIMIT 1) / 900000 - 768
GROUP BY 1, 2, 3, 4, 5;
