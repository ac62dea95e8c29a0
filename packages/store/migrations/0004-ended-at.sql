-- When the ask ended, for the order of the history. Null for an open ask, and for one that an older version ended: its place is
-- then that of the time when it was raised.
alter table ask_approvers add column ended_at bigint;
