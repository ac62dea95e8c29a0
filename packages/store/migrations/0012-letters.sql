-- What one process must say to another, or to all: kept until it is read, or no longer of use. Bodies are sealed.
create table letters (
  box text not null,
  id text not null,
  tenant text not null,
  principal text not null,
  body text not null,
  sent_at bigint not null,
  expires_at bigint not null,
  primary key (box, id)
);

create index letters_of_principal on letters (box, tenant, principal);
create index letters_expired on letters (expires_at);
