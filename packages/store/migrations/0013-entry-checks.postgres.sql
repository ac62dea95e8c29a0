-- Refuses audit entries that have no leaf (see leaf.ts in core): one such row, which every gateway may insert, would stop the log.

insert into migrations (name, digest) values ('needs 0013-entry-checks.postgres.sql', '');

-- Not valid: rows that exist are not read, so the table is not locked for long. Lengths beside the patterns instead of repeat counts in
-- them: PostgreSQL takes fifteen times as long for `{1,128}`, and each decision inserts entries.
alter table audit_entries add constraint audit_entries_fit check (
  id between 1 and 999999999999999
  and at between 0 and 9007199254740991
  and counter >= 0
  and kind collate "C" ~ '^[a-z]+([.][a-z]+)*$' and length(kind) <= 32
  and subject collate "C" !~ '[^!-~]' and length(subject) between 1 and 128
  and digest collate "C" ~ '^sha256:[0-9a-f]+$' and length(digest) = 71
  and (assertion_digest is null or assertion_digest collate "C" ~ '^sha256:[0-9a-f]+$' and length(assertion_digest) = 71)
) not valid;
