-- Audit entries on SQLite: one process writes at a time, so the order of their numbers is the order of the commits.

create table audit_entries (
  id integer primary key autoincrement,
  tenant text not null,
  at bigint not null,
  kind text not null,
  subject text not null,
  -- 1, 2, 3 … for the entries about one row; 0 for an entry that changes no row.
  counter integer not null,
  -- Of salt and body, and of the assertion in the body. The leaf has these digests; salt and body can be erased.
  digest text not null,
  assertion_digest text,
  salt text,
  body text
);

create index audit_entries_order on audit_entries (tenant, id);
-- For the proof of one ask: its entries. Notes about passing traffic belong to no ask.
create index audit_entries_of on audit_entries (tenant, subject) where kind <> 'note';
