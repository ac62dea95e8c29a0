-- Times are milliseconds since 1970; what has structure is JSON text, so that both engines keep the same bytes.

create table asks (
  tenant text not null,
  id text not null,
  state text not null,
  server text not null,
  tool text,
  principal text not null,
  call_id text,
  kind text not null,
  question text not null,
  electorate text not null,
  approvals_needed integer not null,
  declines_needed integer not null,
  accepts integer not null default 0,
  declines integer not null default 0,
  digest text,
  raised_at bigint not null,
  decide_by bigint not null,
  use_within bigint not null,
  ended_at bigint,
  answer text,
  decided_by text,
  decided_via text,
  decision_id text,
  withdrawn_because text,
  primary key (tenant, id)
);

-- For the sweeper, which serves all tenants: what is overdue.
create index asks_due on asks (decide_by) where state = 'open';

-- For the slow poll: what ended lately.
create index asks_ended on asks (ended_at) where ended_at is not null;

create index asks_of_call on asks (tenant, call_id) where state = 'open' and call_id is not null;

-- One row for each approver of an ask: this is what an inbox pages through. What a page is narrowed by stands here too, so
-- that finding a page touches no other table.
create table ask_approvers (
  tenant text not null,
  ask_id text not null,
  approver text not null,
  server text not null,
  kind text not null,
  raised_at bigint not null,
  decide_by bigint not null,
  is_open integer not null,
  primary key (tenant, ask_id, approver)
);

create index inbox_open on ask_approvers (tenant, approver, raised_at, ask_id) where is_open = 1;
create index inbox_open_by_server on ask_approvers (tenant, approver, server, raised_at, ask_id) where is_open = 1;
create index inbox_ended on ask_approvers (tenant, approver, raised_at, ask_id) where is_open = 0;

-- Only where one answer does not decide. The key is what stops a person from counting twice.
create table votes (
  tenant text not null,
  ask_id text not null,
  voter text not null,
  answer text not null,
  via text not null,
  decision_id text not null,
  -- First, second, third … : several may fall into one millisecond.
  place integer not null,
  voted_at bigint not null,
  primary key (tenant, ask_id, voter)
);
