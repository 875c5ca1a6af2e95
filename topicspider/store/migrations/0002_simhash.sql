-- What near-duplicates are known by: 64 bits, signed; 0 where the text is too short to tell.
ALTER TABLE pages ADD COLUMN simhash {integer} NOT NULL DEFAULT 0;
