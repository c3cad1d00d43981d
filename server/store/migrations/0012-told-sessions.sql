-- Up to which message each session of an agent was told about its mail, so that a restart of the hub does not repeat it.
CREATE TABLE told_sessions (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  session_id TEXT NOT NULL,
  message_seq INTEGER NOT NULL,
  told_at INTEGER NOT NULL,
  PRIMARY KEY (network_seq, alias, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX told_sessions_by_time ON told_sessions (told_at);
