-- What an agent reported before it reported `offline` itself, so that its question outlasts its leaving. Not known of agents that left before.
ALTER TABLE sessions ADD COLUMN last_status TEXT CHECK (last_status = 'working' OR last_status = 'idle' OR last_status = 'blocked' OR last_status = 'error' OR last_status = 'waiting_input');
