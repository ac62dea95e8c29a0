-- Signatures by the key ring: of the ask as it was raised, of each vote, of the deciding one, and of the grant.
alter table asks add column signature text;
alter table asks add column decision_signature text;
alter table votes add column signature text;
alter table grants add column signature text;
