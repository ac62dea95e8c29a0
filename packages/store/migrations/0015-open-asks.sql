-- For the limits on open asks: of one caller, of one server, and of a tenant. With the deadline, so that nothing else is read.
create index asks_open_of_caller on asks (tenant, principal, decide_by) where state = 'open';
create index asks_open_of_server on asks (tenant, server, decide_by) where state = 'open';
