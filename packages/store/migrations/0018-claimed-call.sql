-- The call that whoever claimed a deferred one runs: its lease says whether they are still there.
alter table deferred_calls add column claimed_call text;
