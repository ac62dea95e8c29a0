-- For the sweep: open asks whose replica or session may be gone.
create index asks_waiting_at on asks (waits_at) where state = 'open' and waits_at is not null;
create index asks_waiting_in on asks (tenant, waits_in) where state = 'open' and waits_in is not null;
