-- Who visits a topic's pages again, alone: one row a topic, held until held_until (seconds since 1970, by the database's clock).
-- A row whose time is over says who had it last.
CREATE TABLE claims (
    topic {name} NOT NULL PRIMARY KEY,
    owner {name} NOT NULL,
    node {name} NOT NULL,
    since {real} NOT NULL,
    held_until {real} NOT NULL
) {table_end};
