DROP VIEW IF EXISTS hosts;

ALTER TABLE crawls DROP COLUMN seed;

DROP TABLE IF EXISTS changes;

ALTER TABLE links DROP COLUMN score_learned;

ALTER TABLE links DROP COLUMN score_ipagerank;

ALTER TABLE links DROP COLUMN score_pagerank;

ALTER TABLE links DROP COLUMN score_rw;

ALTER TABLE links DROP COLUMN policy;

ALTER TABLE pages DROP COLUMN score_ipagerank;

ALTER TABLE pages DROP COLUMN score_learned;

DROP INDEX pages_due {on_pages};

ALTER TABLE pages DROP COLUMN content_hash;

ALTER TABLE pages DROP COLUMN last_modified;

ALTER TABLE pages DROP COLUMN etag;

ALTER TABLE pages DROP COLUMN collected_at;

ALTER TABLE pages DROP COLUMN checked;

ALTER TABLE pages DROP COLUMN update_cycle;
