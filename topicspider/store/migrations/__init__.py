"""The numbered SQL files that make and change the schema of a store."""
