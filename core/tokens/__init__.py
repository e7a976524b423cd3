"""Tokens: counters that turn a message into a number, estimated or exact."""
