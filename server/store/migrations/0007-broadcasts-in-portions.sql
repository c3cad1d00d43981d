-- A broadcast to many agents is delivered in several commits, so that the writes of others do not wait for it. This is where it stands.
ALTER TABLE broadcasts ADD COLUMN from_session TEXT;
ALTER TABLE broadcasts ADD COLUMN delivered_to TEXT; -- the last alias it has reached, in their order; null once it has reached all
CREATE INDEX broadcasts_unfinished ON broadcasts (broadcast_seq) WHERE delivered_to IS NOT NULL;
