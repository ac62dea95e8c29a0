-- Whether the asker's own timeout is unknown, so that it may stop waiting before the deadline.
alter table asks add column wait_unknown integer;
-- When a request last waited for the answer.
alter table asks add column last_seen_at bigint;
-- When a server that waits inside its call was given the answer, or had stopped waiting for it.
alter table asks add column delivered_at bigint;
alter table asks add column undelivered_at bigint;
