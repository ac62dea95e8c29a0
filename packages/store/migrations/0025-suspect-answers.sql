-- An answer of the client that came too fast to be a person's, after which the question was asked again.
alter table asks add column fast_action text;
alter table asks add column fast_after bigint;
