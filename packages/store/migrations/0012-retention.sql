-- When the question and the answer of an ask were erased. The row stays, with who asked what server, who decided, and when.
alter table asks add column erased_at bigint;
