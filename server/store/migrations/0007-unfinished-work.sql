-- A broadcast to many agents is delivered in several commits, so that the writes of others do not wait for it. These columns record
-- its progress.
ALTER TABLE broadcasts ADD COLUMN from_session TEXT;
ALTER TABLE broadcasts ADD COLUMN delivered_to TEXT; -- the last alias it has reached, in their order; null once it has reached all
CREATE INDEX broadcasts_unfinished ON broadcasts (broadcast_seq) WHERE delivered_to IS NOT NULL;

-- The tasks and messages of a renamed session move in several commits. Until all have moved, this is their target alias.
ALTER TABLE sessions ADD COLUMN moving_to TEXT;
CREATE INDEX sessions_moving ON sessions (session_seq) WHERE moving_to IS NOT NULL;
