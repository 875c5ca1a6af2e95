DROP TABLE IF EXISTS model_leases;

DROP TABLE IF EXISTS model_examples;

DROP TABLE IF EXISTS models;
