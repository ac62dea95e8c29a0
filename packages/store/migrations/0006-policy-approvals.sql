-- Approvals that policies require.

-- The voter's groups that the approval rule names, as JSON; null for none.
alter table votes add column voter_groups text;
