-- For the proof of one ask: what the record says about it. Notes of what only passed through are about no ask.
create index audit_entries_of on audit_entries (tenant, subject) where kind <> 'note';
