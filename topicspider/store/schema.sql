-- One page as one topic saw it. A URL is found by its hash: texts are compared by nothing here.
-- first_seen and last_seen are the earliest and the latest fetched_at that was written.
CREATE TABLE pages (
    id {id},
    topic {name} NOT NULL,
    url_hash {hash} NOT NULL,
    url {text} NOT NULL,
    host {name} NOT NULL,
    port {integer} NOT NULL,
    title {text} NOT NULL,
    body {text} NOT NULL,
    summary {text} NOT NULL,
    keywords {text} NOT NULL,
    published {text} NOT NULL,
    modified {text} NOT NULL,
    author {text} NOT NULL,
    site_name {text} NOT NULL,
    language {text} NOT NULL,
    type {text} NOT NULL,
    data {text} NOT NULL,
    relevance {real} NOT NULL,
    parts {text} NOT NULL,
    depth {integer} NOT NULL,
    referrer {text} NOT NULL,
    fetched_at {text} NOT NULL,
    date {text} NOT NULL,
    download_time {real} NOT NULL,
    status {integer} NOT NULL,
    content_type {text} NOT NULL,
    content_length {integer} NOT NULL,
    encoding {text} NOT NULL,
    link_count {integer} NOT NULL,
    duplicate_of {text} NOT NULL,
    snapshot {text} NOT NULL,
    on_topic {integer} NOT NULL,
    threshold {real} NOT NULL,
    scorer {text} NOT NULL,
    score_boolean {real},
    score_vsm {real},
    score_a {real},
    score_b {real},
    score_c {real},
    first_seen {name} NOT NULL,
    last_seen {name} NOT NULL,
    -- 64 bits, signed, by which near-duplicates are known; 0 where the text is too short to tell
    simhash {integer} NOT NULL DEFAULT 0,
    -- microseconds since 1970: what a search index over the store must read again
    written_at {integer} NOT NULL DEFAULT 0,
    -- paper (d)'s UnCheckedURL table: seconds that a page stays fresh, whether it needs no visit before that, when it was collected
    update_cycle {real} NOT NULL DEFAULT 604800,
    checked {integer} NOT NULL DEFAULT 1,
    collected_at {real} NOT NULL DEFAULT 0,
    etag {name} NOT NULL DEFAULT '',
    last_modified {name} NOT NULL DEFAULT '',
    -- of title and body, also of a miss, whose body is not stored
    content_hash {integer} NOT NULL DEFAULT 0,
    score_learned {real},
    score_ipagerank {real}
) {table_end};

CREATE UNIQUE INDEX pages_by_url ON pages (topic, url_hash);

-- an index ends in the id by itself, in both databases: (topic, on_topic) is "hits as they were stored"
CREATE INDEX pages_stored ON pages (topic, on_topic);

CREATE INDEX pages_best ON pages (topic, on_topic, relevance);

CREATE INDEX pages_best_of_all ON pages (on_topic, relevance);

CREATE INDEX pages_by_host ON pages (topic, host, on_topic, last_seen);

CREATE INDEX pages_written ON pages (written_at, topic, on_topic);

CREATE INDEX pages_due ON pages (topic, checked, collected_at, update_cycle);

-- a topic's pages in the order of their ids, read in parts without a sort
CREATE INDEX pages_in_order ON pages (topic);

-- A sample of judged links, so that "why was this link pruned" has an answer.
CREATE TABLE links (
    id {id},
    topic {name} NOT NULL,
    source_hash {hash} NOT NULL,
    target_hash {hash} NOT NULL,
    source_url {text} NOT NULL,
    target_url {text} NOT NULL,
    anchor {text} NOT NULL,
    score {real} NOT NULL,
    pruned {text} NOT NULL,
    parts {text} NOT NULL,
    -- who judged the link
    policy {name} NOT NULL DEFAULT '',
    score_rw {real},
    score_pagerank {real},
    score_ipagerank {real},
    score_learned {real}
) {table_end};

CREATE UNIQUE INDEX links_by_urls ON links (topic, source_hash, target_hash);

CREATE TABLE crawls (
    id {id},
    run_id {name} NOT NULL,
    topic {name} NOT NULL,
    topic_digest {text} NOT NULL,
    started_at {name} NOT NULL,
    ended_at {name} NOT NULL,
    reason {text} NOT NULL,
    settings {text} NOT NULL,
    totals {text} NOT NULL,
    version {text} NOT NULL,
    seed {integer} NOT NULL DEFAULT 0
) {table_end};

CREATE UNIQUE INDEX crawls_by_run ON crawls (run_id);

CREATE INDEX crawls_by_start ON crawls (topic, started_at);

-- One row for each time that a page was collected again: whether it had changed, and of a hit the sentences that it gained and lost (JSON).
CREATE TABLE changes (
    id {id},
    topic {name} NOT NULL,
    url_hash {hash} NOT NULL,
    seen_at {name} NOT NULL,
    content_hash {integer} NOT NULL,
    simhash {integer} NOT NULL,
    is_changed {integer} NOT NULL,
    added {text} NOT NULL,
    removed {text} NOT NULL
) {table_end};

CREATE UNIQUE INDEX changes_by_url ON changes (topic, url_hash, seen_at);

-- a topic's changes in the order of their ids
CREATE INDEX changes_in_order ON changes (topic);

-- What each host has given; counted when asked for: a count that is never kept cannot go wrong.
CREATE VIEW hosts AS SELECT topic, host, COUNT(*) AS pages, SUM(on_topic) AS hits, AVG(relevance) AS relevance,
    AVG(download_time) AS download_time, MIN(first_seen) AS first_seen, MAX(last_seen) AS last_seen FROM pages GROUP BY topic, host;

-- What the learners of a crawl have learned, so that it is resumed.
CREATE TABLE models (
    id {id},
    crawl {name} NOT NULL,
    number {integer} NOT NULL,
    node {name} NOT NULL,
    state {text} NOT NULL
) {table_end};

CREATE UNIQUE INDEX models_by_number ON models (crawl, number);

-- Whole topic files, for nodes that have none of the name.
CREATE TABLE topics (
    id {id},
    name {name} NOT NULL,
    content {text} NOT NULL,
    stored_at {name} NOT NULL
) {table_end};

CREATE UNIQUE INDEX topics_by_name ON topics (name);

-- Who visits a topic's pages again, alone: one row a topic, held until held_until (seconds since 1970, by the database's clock).
-- A row whose time is over says who had it last.
CREATE TABLE claims (
    topic {name} NOT NULL PRIMARY KEY,
    owner {name} NOT NULL,
    node {name} NOT NULL,
    since {real} NOT NULL,
    held_until {real} NOT NULL
) {table_end};
