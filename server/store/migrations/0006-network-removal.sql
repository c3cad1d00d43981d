-- A removed network is gone at once, with all rights to it; its rows follow in portions, so that the writes of others do not wait.
ALTER TABLE networks ADD COLUMN removed_at INTEGER;
CREATE INDEX networks_removed ON networks (network_seq) WHERE removed_at IS NOT NULL;

-- Without a reference to tokens: a revoked token may have a million answers. They are forgotten with their day.
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
