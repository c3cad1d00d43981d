-- Notifiers send what needs a person to a URL: the needs of a user in all their networks or, with a network, those of the network.
CREATE TABLE notifiers (
  notifier_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  notifier_id TEXT NOT NULL UNIQUE,
  user_id TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE, -- who created it
  network_seq INTEGER REFERENCES networks (network_seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format = 'webhook' OR format = 'ntfy' OR format = 'slack' OR format = 'discord' OR format = 'teams'),
  url TEXT NOT NULL,
  secret TEXT, -- signs the requests of a webhook
  triggers TEXT NOT NULL,
  unfetched_minutes INTEGER NOT NULL CHECK (unfetched_minutes BETWEEN 1 AND 60),
  rate_limit INTEGER NOT NULL CHECK (rate_limit BETWEEN 1 AND 60),
  quiet_from TEXT,
  quiet_until TEXT,
  time_zone TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled = 0 OR enabled = 1),
  active_at INTEGER NOT NULL, -- created or last enabled; it notifies of nothing earlier
  due_at INTEGER, -- of its next request; null if none is pending
  created_at INTEGER NOT NULL,
  CHECK ((quiet_from IS NULL) = (quiet_until IS NULL))
) STRICT;
CREATE INDEX notifiers_by_user ON notifiers (user_id, notifier_seq);
CREATE INDEX notifiers_by_network ON notifiers (network_seq, notifier_seq) WHERE network_seq IS NOT NULL;
CREATE INDEX notifiers_due ON notifiers (due_at) WHERE due_at IS NOT NULL;

-- The log and the queue of deliveries. A pending one is sent at its due time. Needs held by quiet hours or the rate limit are one row.
CREATE TABLE deliveries (
  delivery_seq INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id TEXT NOT NULL UNIQUE,
  notifier_seq INTEGER NOT NULL REFERENCES notifiers (notifier_seq) ON DELETE CASCADE,
  need TEXT NOT NULL, -- the first one, if it is a summary
  counts TEXT, -- of a summary: how many of each trigger
  is_test INTEGER NOT NULL CHECK (is_test = 0 OR is_test = 1),
  status TEXT NOT NULL CHECK (status = 'pending' OR status = 'delivered' OR status = 'failed'),
  attempts INTEGER NOT NULL,
  due_at INTEGER,
  response_status INTEGER, -- of the last attempt, as the problem
  problem TEXT,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  CHECK ((status = 'pending') = (due_at IS NOT NULL)),
  CHECK ((status = 'pending') = (ended_at IS NULL))
) STRICT;
CREATE INDEX deliveries_by_notifier ON deliveries (notifier_seq, delivery_seq);
CREATE INDEX deliveries_due ON deliveries (notifier_seq, due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_summary ON deliveries (notifier_seq) WHERE counts IS NOT NULL AND due_at IS NOT NULL AND attempts = 0;

-- How far each reader has read the events for notifications. Empty while there are no notifiers.
CREATE TABLE notifier_readers (
  reader TEXT PRIMARY KEY,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The agents that were last notified as needing input, blocked or failed, so that a repeated report does not notify again.
CREATE TABLE stuck_agents (
  network_seq INTEGER NOT NULL REFERENCES networks (network_seq) ON DELETE CASCADE,
  alias TEXT NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (network_seq, alias)
) STRICT, WITHOUT ROWID;
