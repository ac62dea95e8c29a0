-- An answer that looks like a secret is stored sealed, and deleted once it is delivered, at this time at the latest.
alter table asks add column secret_until bigint;
