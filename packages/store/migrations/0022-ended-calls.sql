-- For whoever forgets calls that ended long ago.
create index calls_ended on calls (ended_at) where ended_at is not null;
