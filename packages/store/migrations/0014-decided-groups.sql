-- The groups of the person whose vote decided that the approval rule names, as JSON; null for none. One vote that decides alone has
-- no row in votes.
alter table asks add column decided_groups text;
