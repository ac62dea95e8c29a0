-- Ways into the inbox, and who is in. What a person holds, the code of a link or the token in a cookie, is kept as its
-- hash alone: whoever reads these tables can sign in as nobody.
create table sign_in_links (
  tenant text not null,
  hash text not null,
  principal text not null,
  member_of text not null,
  made_at bigint not null,
  expires_at bigint not null,
  -- Set once, by whoever brings the link first.
  used_at bigint,
  primary key (tenant, hash)
);

create index sign_in_links_expired on sign_in_links (expires_at);

create table sessions (
  tenant text not null,
  hash text not null,
  -- What it came from: the hash of a link, or of one login at an issuer. Neither becomes a second session.
  begun_with text not null,
  principal text not null,
  member_of text not null,
  -- What the person is called, to be shown; nothing is decided by it.
  name text,
  begun_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  primary key (tenant, hash),
  unique (tenant, begun_with)
);

create index sessions_of_person on sessions (tenant, principal);
create index sessions_expired on sessions (expires_at);
