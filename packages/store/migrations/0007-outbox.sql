-- Messages that are due about asks: one row per announced ask, until the message about its end is sent.

create table outbox (
  tenant text not null,
  ask_id text not null,
  -- The next message: 'raised', 'expiring' or 'ended'; 'waiting' if none is due before the ask ends.
  stage text not null,
  -- When to send it. After a failed attempt: when to try again.
  due_at bigint not null,
  -- Attempts to send this message, the current one included.
  attempts integer not null default 0,
  -- Recipients that need no further attempt of this message, as JSON.
  done text,
  -- The process that sends it, until its lease ends.
  claimed_by text,
  claimed_until bigint,
  primary key (tenant, ask_id)
);

create index outbox_due on outbox (tenant, due_at);
