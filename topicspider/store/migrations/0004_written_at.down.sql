DROP INDEX pages_written {on_pages};

ALTER TABLE pages DROP COLUMN written_at;
