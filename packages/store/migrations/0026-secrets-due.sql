-- For the sweeper: sealed answers that nobody fetched.
create index asks_secret_until on asks (secret_until) where secret_until is not null;
