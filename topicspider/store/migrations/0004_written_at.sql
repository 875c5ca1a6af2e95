-- When a page was last written, in microseconds since 1970: what an index over the store must read again.
ALTER TABLE pages ADD COLUMN written_at {integer} NOT NULL DEFAULT 0;

CREATE INDEX pages_written ON pages (written_at, topic, on_topic);
