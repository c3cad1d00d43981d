-- When an agent last made progress, according to its reports. Heartbeats alone do not change it.
ALTER TABLE sessions ADD COLUMN last_progress_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET last_progress_at = last_seen_at;

-- The last line of the output, so that a list does not read each output.
ALTER TABLE sessions ADD COLUMN last_output TEXT;
