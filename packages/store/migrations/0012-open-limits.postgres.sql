-- Limits on open asks without a lock that all asks of a tenant take.
--
-- A caller and a server have a lock each, held until commit and always taken in this order, so that there is no deadlock. Their
-- limits are exact. The limit of a tenant is checked without a lock: each other connection that is raising an ask at that moment may exceed it by one.

insert into migrations (name, digest) values ('needs 0012-open-limits.postgres.sql', '');

drop function full_for(text, text, text, bigint, bigint, bigint, bigint);
drop function full_now(text, text, text, bigint, bigint, bigint, bigint, boolean);

-- The number of open asks of a server, or of a tenant if the server is empty, counted up to `at_most`. If a bound from an older
-- count is at most `enough`, it returns this bound instead and counts nothing.
--
-- `open_counts.seq` is the tenant's last audit entry that was visible before the count. Raising an ask writes an entry, so since
-- then at most as many asks were raised as numbers of entries were assigned, and one in each transaction that was open at the
-- count. If `seq` is higher than the last entry now, entries were deleted, and the old count says nothing.
--
-- Volatile, so that each of its statements sees everything committed before that statement. It reads ranges in the order of one
-- index instead of plain equalities: without table statistics, the planner must not choose another index that reads the asks of
-- all others.
create function open_asks(of_tenant text, of_server text, at_ms bigint, enough bigint, at_most bigint) returns bigint
  language plpgsql volatile
  as $$
declare
  raising_at_once constant bigint := current_setting('max_connections')::bigint;
  -- Read before counting: an ask raised in between is then counted twice instead of not at all.
  last_entry constant bigint :=
    coalesce((select id from audit_entries where tenant = of_tenant order by id desc limit 1), 0);
  bound bigint;
  counted bigint;
begin
  select asks + last_entry - seq + raising_at_once into bound from open_counts
    where tenant = of_tenant and server = of_server and seq <= last_entry;
  if bound <= enough then return bound; end if;

  if of_server = '' then
    select count(*) into counted from (
      select 1 from asks where state = 'open' and tenant >= of_tenant and tenant <= of_tenant and decide_by > at_ms
      order by tenant, server, decide_by limit at_most) few;
  else
    select count(*) into counted from (
      select 1 from asks where state = 'open' and tenant = of_tenant
        and server >= of_server and server <= of_server and decide_by > at_ms
      order by server, decide_by limit at_most) few;
  end if;

  -- Stored only if it saves later counts, and by one transaction at a time: none waits for the row.
  if counted + 2 * raising_at_once <= enough
    and pg_try_advisory_xact_lock(hashtextextended(concat_ws(' ', current_schema(), of_tenant, of_server), 17)) then
    insert into open_counts (tenant, server, seq, asks) values (of_tenant, of_server, last_entry, counted)
    on conflict (tenant, server) do update set seq = excluded.seq, asks = excluded.asks;
  end if;
  return counted;
end $$;

create function open_asks_of_caller(of_tenant text, of_principal text, at_ms bigint, at_most bigint) returns bigint
  language plpgsql volatile
  as $$
begin
  return (select count(*) from (
    select 1 from asks where state = 'open' and tenant = of_tenant
      and principal >= of_principal and principal <= of_principal and decide_by > at_ms
    order by principal, decide_by limit at_most) few);
end $$;

-- Returns which limit is reached (caller, server or tenant), or null. If none of caller and server is, that stays true until the
-- calling transaction ends.
--
-- A lock is shared while there is room for one ask from every connection that the database allows: the transactions that hold it
-- together cannot exceed the limit. Closer to the limit it is exclusive. The error releases a shared lock before the exclusive one
-- is requested: of two transactions that hold the shared one, neither would get it. Whoever would have to wait counts first, and
-- at a limit is refused without waiting.
create function full_for(of_tenant text, of_principal text, of_server text, at_ms bigint,
  per_caller bigint, per_server bigint, per_tenant bigint) returns text
  language plpgsql volatile
  set enable_seqscan = off
  set enable_sort = off
  as $$
declare
  raising_at_once constant bigint := current_setting('max_connections')::bigint;
  lock_of_caller constant bigint := hashtextextended(concat_ws(' ', current_schema(), of_tenant, of_principal), 15);
  lock_of_server constant bigint := hashtextextended(concat_ws(' ', current_schema(), of_tenant, of_server), 16);
  is_shared boolean;
  counted bigint;
begin
  begin
    is_shared := pg_try_advisory_xact_lock_shared(lock_of_caller);
    counted := open_asks_of_caller(of_tenant, of_principal, at_ms, per_caller);
    if counted >= per_caller then return 'caller'; end if;
    if not is_shared or counted + raising_at_once > per_caller then raise exception using errcode = 'AS001'; end if;
  exception when sqlstate 'AS001' then
    perform pg_advisory_xact_lock(lock_of_caller);
    if open_asks_of_caller(of_tenant, of_principal, at_ms, per_caller) >= per_caller then return 'caller'; end if;
  end;

  begin
    is_shared := pg_try_advisory_xact_lock_shared(lock_of_server);
    counted := open_asks(of_tenant, of_server, at_ms, per_server - raising_at_once, per_server);
    if counted >= per_server then return 'server'; end if;
    if open_asks(of_tenant, '', at_ms, per_tenant - 1, per_tenant) >= per_tenant then return 'tenant'; end if;
    if not is_shared or counted + raising_at_once > per_server then raise exception using errcode = 'AS001'; end if;
  exception when sqlstate 'AS001' then
    perform pg_advisory_xact_lock(lock_of_server);
    if open_asks(of_tenant, of_server, at_ms, per_server - 1, per_server) >= per_server then return 'server'; end if;
  end;
  return null;
end $$;
