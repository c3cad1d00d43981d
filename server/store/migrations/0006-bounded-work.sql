-- A removed network is inaccessible at once. Its rows are deleted in portions, so that the writes of others do not wait.
ALTER TABLE networks ADD COLUMN removed_at INTEGER;
CREATE INDEX networks_removed ON networks (network_seq) WHERE removed_at IS NOT NULL;

-- Without a foreign key to tokens: a revoked token may have a million responses. They expire after a day.
ALTER TABLE idempotency RENAME TO old_idempotency;
CREATE TABLE idempotency (
  token_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  call_hash TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (token_id, idempotency_key)
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency SELECT token_id, idempotency_key, call_hash, answer, created_at FROM old_idempotency;
DROP TABLE old_idempotency;
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- The number of tasks sent and settled in each minute, so that statistics of a week do not read a million rows.
CREATE TABLE move_counts (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  minute INTEGER NOT NULL, -- since the epoch
  sent INTEGER NOT NULL,
  replied INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  expired INTEGER NOT NULL,
  PRIMARY KEY (network_seq, minute)
) STRICT, WITHOUT ROWID;
CREATE INDEX move_counts_by_minute ON move_counts (minute);
INSERT INTO move_counts (network_seq, minute, sent, replied, failed, cancelled, expired)
SELECT network_seq, created_at / 60000, sum(from_status IS NULL), sum(from_status IS NOT NULL AND to_status = 'replied'),
  sum(from_status IS NOT NULL AND to_status = 'failed'), sum(from_status IS NOT NULL AND to_status = 'cancelled'),
  sum(from_status IS NOT NULL AND to_status = 'expired')
FROM task_events GROUP BY 1, 2;
DROP INDEX task_events_by_network;
CREATE INDEX task_events_by_network ON task_events (network_seq, event_seq, alias);
