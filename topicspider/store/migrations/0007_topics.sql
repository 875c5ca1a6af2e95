-- Whole topic files, for nodes that have none of the name.
CREATE TABLE topics (
    id {id},
    name {name} NOT NULL,
    content {text} NOT NULL,
    stored_at {name} NOT NULL
) {table_end};

CREATE UNIQUE INDEX topics_by_name ON topics (name);
