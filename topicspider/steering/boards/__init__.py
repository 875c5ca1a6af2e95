"""The places where models are kept and shared."""
