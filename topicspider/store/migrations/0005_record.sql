-- Paper (d)'s UnCheckedURL table, as columns of the pages: how many seconds a page stays fresh, whether it was collected and not asked
-- for again since, and when it was collected (seconds since 1970; 0: by an older version). etag and last_modified ask for a change.
ALTER TABLE pages ADD COLUMN update_cycle {real} NOT NULL DEFAULT 604800;

ALTER TABLE pages ADD COLUMN checked {integer} NOT NULL DEFAULT 1;

ALTER TABLE pages ADD COLUMN collected_at {real} NOT NULL DEFAULT 0;

ALTER TABLE pages ADD COLUMN etag {name} NOT NULL DEFAULT '';

ALTER TABLE pages ADD COLUMN last_modified {name} NOT NULL DEFAULT '';

-- of title and body, also of a miss, whose body is not kept; 0: by an older version
ALTER TABLE pages ADD COLUMN content_hash {integer} NOT NULL DEFAULT 0;

CREATE INDEX pages_due ON pages (topic, checked, collected_at, update_cycle);

-- Intermediate scores; NULL where the crawl did not count them.
ALTER TABLE pages ADD COLUMN score_learned {real};

ALTER TABLE pages ADD COLUMN score_ipagerank {real};

-- Who judged a link.
ALTER TABLE links ADD COLUMN policy {name} NOT NULL DEFAULT '';

ALTER TABLE links ADD COLUMN score_rw {real};

ALTER TABLE links ADD COLUMN score_pagerank {real};

ALTER TABLE links ADD COLUMN score_ipagerank {real};

ALTER TABLE links ADD COLUMN score_learned {real};

-- One row for each time that a page was collected again: whether it had changed.
CREATE TABLE changes (
    id {id},
    topic {name} NOT NULL,
    url_hash {hash} NOT NULL,
    seen_at {name} NOT NULL,
    content_hash {integer} NOT NULL,
    simhash {integer} NOT NULL,
    is_changed {integer} NOT NULL
) {table_end};

CREATE UNIQUE INDEX changes_by_url ON changes (topic, url_hash, seen_at);

ALTER TABLE crawls ADD COLUMN seed {integer} NOT NULL DEFAULT 0;

-- What each host has given; counted when asked for: a count that is never kept cannot go wrong.
CREATE VIEW hosts AS SELECT topic, host, COUNT(*) AS pages, SUM(on_topic) AS hits, AVG(relevance) AS relevance,
    AVG(download_time) AS download_time, MIN(first_seen) AS first_seen, MAX(last_seen) AS last_seen FROM pages GROUP BY topic, host;
