-- What waits for the answer of an open ask, beside a held call: the replica whose request waits for it, until a state or a
-- handle was returned; after that the client session that holds the handle, where there is one.
alter table asks add column waits_at text;
alter table asks add column waits_in text;
