-- An operator can disable and enable a user. While disabled_at is set, the tokens of the user are suspended.

ALTER TABLE users ADD COLUMN disabled_at INTEGER;
