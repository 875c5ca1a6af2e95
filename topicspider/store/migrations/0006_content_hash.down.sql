-- The version before counts them in its own way.
UPDATE pages SET content_hash = 0 WHERE content_hash <> 0;
