-- An operator may shut a user out and let him in again: while this moment is set, none of his tokens counts.

ALTER TABLE users ADD COLUMN disabled_at INTEGER;
