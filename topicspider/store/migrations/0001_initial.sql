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
    last_seen {name} NOT NULL
) {table_end};

CREATE UNIQUE INDEX pages_by_url ON pages (topic, url_hash);

-- an index ends in the id by itself, in both databases: (topic, on_topic) is "hits as they were stored"
CREATE INDEX pages_stored ON pages (topic, on_topic);

CREATE INDEX pages_best ON pages (topic, on_topic, relevance);

CREATE INDEX pages_best_of_all ON pages (on_topic, relevance);

CREATE INDEX pages_by_host ON pages (topic, host, on_topic, last_seen);

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
    parts {text} NOT NULL
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
    version {text} NOT NULL
) {table_end};

CREATE UNIQUE INDEX crawls_by_run ON crawls (run_id);

CREATE INDEX crawls_by_start ON crawls (topic, started_at);
