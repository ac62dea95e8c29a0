-- For the sweep: answers of calls that were given up before the server had them.
create index asks_undelivered on asks (tenant, call_id)
  where state = 'settled' and call_id is not null and delivered_at is null and undelivered_at is null;
