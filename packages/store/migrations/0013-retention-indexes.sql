-- For `assent retain`. Each ask that ended is in one of the first two, and an open one in none.
create index asks_ended on asks (tenant, ended_at) where ended_at is not null and erased_at is null;
create index asks_erased on asks (tenant, ended_at) where ended_at is not null and erased_at is not null;
-- Notes belong to no ask, and a group of them is one entry.
create index audit_entries_notes on audit_entries (tenant, at, id) where kind = 'note' and body is not null;
