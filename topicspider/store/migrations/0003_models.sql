-- What the learners of a crawl have learned, newest last, so that it is resumed and shared.
CREATE TABLE models (
    id {id},
    crawl {name} NOT NULL,
    number {integer} NOT NULL,
    node {name} NOT NULL,
    state {text} NOT NULL
) {table_end};

CREATE UNIQUE INDEX models_by_number ON models (crawl, number);

-- Verdicts on their way to the node that fits.
CREATE TABLE model_examples (
    id {id},
    crawl {name} NOT NULL,
    node {name} NOT NULL,
    example {text} NOT NULL
) {table_end};

CREATE INDEX model_examples_in_order ON model_examples (crawl, id);

-- Who fits: one node a crawl, until ends_at (seconds since 1970).
CREATE TABLE model_leases (
    crawl {name} NOT NULL PRIMARY KEY,
    node {name} NOT NULL,
    token {integer} NOT NULL,
    ends_at {real} NOT NULL
) {table_end};
