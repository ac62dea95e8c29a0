-- Every entry rewrites its tenant's head; room on the page keeps those updates out of the index.
alter table audit_heads set (fillfactor = 20);
