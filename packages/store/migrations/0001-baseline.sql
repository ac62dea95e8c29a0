-- All tables and indexes that both engines share.
--
-- Every key starts with the tenant. Times are milliseconds since 1970. Structured values are stored as JSON text, so that
-- both engines store the same bytes.

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
  approval_rule text not null,
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
  -- What waits for the answer besides a held call: the replica whose request waits (waits_at), until it has returned a state or
  -- a handle; after that the client session that holds the handle, if there is one (waits_in).
  waits_at text,
  waits_in text,
  -- Whether the asker's own timeout is unknown, so that it may stop waiting before the deadline.
  wait_unknown integer,
  -- When a request last waited for the answer.
  last_seen_at bigint,
  -- For a server that waits inside its call: when it received the answer, or had stopped waiting for it.
  delivered_at bigint,
  undelivered_at bigint,
  -- Whether the asker receives the person's comment ('asker'), and the name of the person's actual answer (core's AnswerName).
  comment_reaches text,
  -- The program whose call asks, as JSON: its name, the folder and the branch that it works in.
  caller text,
  person_answer text,
  -- An answer from the client that came too fast to be a person's; the question was then asked again.
  fast_action text,
  fast_after bigint,
  -- An answer that looks like a secret is stored sealed. It is deleted once it is delivered, at this time at the latest.
  secret_until bigint,
  -- Signatures by the key ring: of the ask as it was raised, and of the deciding vote.
  signature text,
  decision_signature text,
  primary key (tenant, id)
);

-- For the sweep, which serves all tenants: overdue asks.
create index asks_due on asks (decide_by) where state = 'open';
create index asks_of_call on asks (tenant, call_id) where state = 'open' and call_id is not null;
-- For the limits on open asks per caller, per server and per tenant. With the deadline, so that counting reads only the index.
create index asks_open_of_caller on asks (tenant, principal, decide_by) where state = 'open';
create index asks_open_of_server on asks (tenant, server, decide_by) where state = 'open';
-- For the sweep: open asks whose replica or session may be gone.
create index asks_waiting_at on asks (waits_at) where state = 'open' and waits_at is not null;
create index asks_waiting_in on asks (tenant, waits_in) where state = 'open' and waits_in is not null;
-- For the sweep: answers to calls that were abandoned before the server received them.
create index asks_undelivered on asks (tenant, call_id)
  where state = 'settled' and call_id is not null and delivered_at is null and undelivered_at is null;
-- For the sweep: sealed answers that were not fetched.
create index asks_secret_until on asks (secret_until) where secret_until is not null;

-- One row per approver of an ask: an inbox pages through these. The filters of a page are columns here too, so that finding a
-- page reads no other table.
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

-- Only for asks that need several answers. The primary key prevents a person from voting twice.
create table votes (
  tenant text not null,
  ask_id text not null,
  voter text not null,
  answer text not null,
  via text not null,
  decision_id text not null,
  -- The order of the votes: several may fall into one millisecond.
  place integer not null,
  voted_at bigint not null,
  signature text,
  primary key (tenant, ask_id, voter)
);

-- An approval that may be used once. An ask has at most one.
create table grants (
  tenant text not null,
  id text not null,
  ask_id text not null,
  digest text not null,
  principal text not null,
  granted_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  used_by text,
  signature text,
  primary key (tenant, id),
  unique (tenant, ask_id)
);

-- Ids of sealed states that were returned to us. A second insert of the same id is a replay.
create table used_ids (
  tenant text not null,
  id text not null,
  expires_at bigint not null,
  primary key (tenant, id)
);

create index used_ids_expired on used_ids (expires_at);

-- Calls that one process holds open for a server that waits inside them. They end with the lease of that process (`replicas`).
create table calls (
  tenant text not null,
  id text not null,
  principal text not null,
  server text not null,
  method text not null,
  request_digest text not null,
  owner text not null,
  state text not null,
  started_at bigint not null,
  ended_at bigint,
  outcome text,
  delivered_at bigint,
  primary key (tenant, id)
);

create index calls_of_owner on calls (owner) where state = 'running';
-- For the sweep, which deletes calls that ended long ago.
create index calls_ended on calls (ended_at) where ended_at is not null;

-- Calls whose caller received a handle while a person decides, and may fetch the outcome later. The state needed to continue is
-- sealed: only the gateway can open it.
create table deferred_calls (
  tenant text not null,
  id text not null,
  principal text not null,
  state text not null,
  deferred_at bigint not null,
  expires_at bigint not null,
  -- Set once, for a call of a session whose connection was lost: by the replica that continues it.
  claimed_at bigint,
  claimed_by text,
  outcome text,
  ended_at bigint,
  primary key (tenant, id)
);

create index deferred_calls_expired on deferred_calls (expires_at);

-- Rounds towards a server that carry an answer given in the inbox or the terminal: claimed once before anything is sent, with
-- the outcome that every retry gets.
create table rounds (
  tenant text not null,
  id text not null,
  principal text not null,
  -- The replica that claimed it. A claim does not expire by itself: only the owner knows whether the round was sent.
  owner text not null,
  claimed_at bigint not null,
  expires_at bigint not null,
  outcome text,
  ended_at bigint,
  primary key (tenant, id)
);

create index rounds_expired on rounds (expires_at);

-- Steps that a handler runs once per call: claimed before they run, with their outcome afterwards.
create table steps (
  tenant text not null,
  call_id text not null,
  name text not null,
  owner text not null,
  begun_at bigint not null,
  expires_at bigint not null,
  outcome text,
  primary key (tenant, call_id, name)
);

create index steps_expired on steps (expires_at);

-- One row per gateway process that owns something in this database, and until when the process counts as alive. No index on
-- `lease_until`, so that a renewal changes no index (HOT update).
create table replicas (
  id text not null,
  -- Where other replicas reach it. Empty for a gateway without such an address; null for a process that only its own client uses.
  address text,
  lease_until bigint not null,
  primary key (id)
);

-- Sessions of clients of the session-based revisions, for their principal only.
create table client_sessions (
  tenant text not null,
  id text not null,
  principal text not null,
  -- The replica that serves it, and the one that served it before. Another replica takes it over when its owner cannot serve it.
  owner text not null,
  moved_from text,
  revision text not null,
  -- The client's description of itself.
  client text not null,
  began_at bigint not null,
  expires_at bigint not null,
  primary key (tenant, id)
);

create index client_sessions_of_principal on client_sessions (tenant, principal);
create index client_sessions_expired on client_sessions (expires_at);

-- Requests that apply to a whole client session, such as a log level or a resource subscription. A replica that takes the session
-- over replays them.
create table session_settings (
  tenant text not null,
  session text not null,
  -- A later request with the same name replaces the earlier one.
  setting text not null,
  request text not null,
  set_at bigint not null,
  primary key (tenant, session, setting)
);

-- Pages where a person gives a secret to one server. The browser encrypts the secret for that server; the ciphertext is stored
-- here until the server has collected it, and then deleted.
create table secret_pages (
  tenant text not null,
  id text not null,
  server text not null,
  public_key text not null,
  opened_at bigint not null,
  decide_by bigint not null,
  expires_at bigint not null,
  -- The page's person and the ask that it answers: set once each, when the server's question passes the gateway.
  principal text,
  ask_id text,
  sealed text,
  handed_at bigint,
  collections integer not null default 0,
  -- After this time the secret can no longer be collected.
  released_at bigint,
  primary key (tenant, id)
);

create index secret_pages_of_server on secret_pages (tenant, server, expires_at);
create index secret_pages_expired on secret_pages (expires_at);

-- Sign-in links and sessions of the inbox. The code of a link and the token in a cookie are stored only as hashes: reading these
-- tables does not let anyone sign in.
create table sign_in_links (
  tenant text not null,
  hash text not null,
  principal text not null,
  member_of text not null,
  made_at bigint not null,
  expires_at bigint not null,
  -- Set once, by the first request that redeems the link.
  used_at bigint,
  primary key (tenant, hash)
);

create index sign_in_links_expired on sign_in_links (expires_at);

create table sessions (
  tenant text not null,
  hash text not null,
  -- The hash of the link, or of the login at an issuer, that began it. Neither can begin a second session.
  begun_with text not null,
  principal text not null,
  member_of text not null,
  -- The person's name, for display only; no decision depends on it.
  name text,
  begun_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  -- Over plain http a session belongs to one browser: to the key that signs its requests, at the port where it signed in.
  public_key text,
  -- Proves the listener's identity to that browser. It cannot be used to sign in.
  listener_secret text,
  port bigint,
  primary key (tenant, hash),
  unique (tenant, begun_with)
);

create index sessions_of_person on sessions (tenant, principal);
create index sessions_expired on sessions (expires_at);

-- One hash chain per tenant. The head row is the end of the chain: every new entry updates it in the same transaction.
create table audit_heads (
  tenant text not null,
  seq bigint not null,
  hash text not null,
  primary key (tenant)
);

create table audit_entries (
  tenant text not null,
  seq bigint not null,
  at bigint not null,
  kind text not null,
  subject text not null,
  digest text not null,
  body text not null,
  hash text not null,
  primary key (tenant, seq)
);

-- For the proof of one ask: its entries. Notes about passing traffic belong to no ask.
create index audit_entries_of on audit_entries (tenant, subject) where kind <> 'note';

create table audit_checkpoints (
  tenant text not null,
  seq bigint not null,
  hash text not null,
  at bigint not null,
  key_id text not null,
  signature text not null,
  primary key (tenant, seq, key_id)
);
