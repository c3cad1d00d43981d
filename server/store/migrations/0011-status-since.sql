-- When the status of an agent last changed. Before this schema only its last progress is known, which includes changes of the status; of an
-- agent that was marked offline, its last heartbeat.
ALTER TABLE sessions ADD COLUMN status_since INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET status_since = iif(marked_offline = 1, last_seen_at, last_progress_at);

-- Finds the agents that work without progress.
CREATE INDEX sessions_by_progress ON sessions (network_seq, last_progress_at) WHERE status = 'working' AND marked_offline = 0;

-- The agents that were notified as stuck, so that each is notified once until it makes progress.
CREATE TABLE stalled_agents (
  session_seq INTEGER PRIMARY KEY REFERENCES sessions (session_seq) ON DELETE CASCADE,
  network_seq INTEGER NOT NULL, -- of the session
  last_progress_at INTEGER NOT NULL -- of the agent at that time
) STRICT;
CREATE INDEX stalled_agents_by_network ON stalled_agents (network_seq);
