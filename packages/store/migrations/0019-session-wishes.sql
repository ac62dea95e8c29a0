-- What a client asked for once and meant for its whole session, such as a log level or a resource to watch. Every process
-- that serves the session keeps to it.
create table session_wishes (
  tenant text not null,
  session text not null,
  -- Two of one name are one wish: the later one counts.
  wish text not null,
  request text not null,
  wished_at bigint not null,
  primary key (tenant, session, wish)
);
