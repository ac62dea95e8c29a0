-- The part of the baseline that only PostgreSQL needs: functions, their table, and a storage setting.

-- In SQLite, the process that opens the file provides this function. Stable, because `convert_to` is stable: declared immutable
-- it could not be inlined and would cost twice as much.
create function sha256hex(input text) returns text
  language sql stable strict parallel safe
  as $$ select encode(sha256(convert_to(input, 'UTF8')), 'hex') $$;

-- Every entry updates its tenant's head; free space on the page keeps those updates out of the index.
alter table audit_heads set (fillfactor = 20);

-- How many asks were open at the last count, and the tenant's last audit entry at that time. Raising an ask writes an entry. So
-- at most as many asks have been raised since as entries were written, and while that stays below the limit no new count is
-- needed. An old count is never wrong, only less useful.
create table open_counts (
  tenant text not null,
  -- Empty for all servers of the tenant.
  server text not null,
  seq bigint not null,
  asks bigint not null,
  primary key (tenant, server)
);

-- Returns which limit is reached (caller, server or tenant), or null. Volatile, so that each of its statements sees everything
-- committed before that statement, however long ago the calling statement began.
--
-- It reads ranges in the order of one index instead of plain equalities: without table statistics, the planner must not choose
-- another index that reads the asks of all other callers.
create function full_now(of_tenant text, of_principal text, of_server text, at_ms bigint,
  per_caller bigint, per_server bigint, per_tenant bigint, keeps_counts boolean) returns text
  language plpgsql volatile
  set enable_seqscan = off
  set enable_sort = off
  as $$
declare
  chain_at bigint;
  counted bigint;
begin
  select count(*) into counted from (
    select 1 from asks where state = 'open' and tenant = of_tenant
      and principal >= of_principal and principal <= of_principal and decide_by > at_ms
    order by principal, decide_by limit per_caller) few;
  if counted >= per_caller then return 'caller'; end if;

  -- Read before counting: an ask raised in between is then counted twice instead of not at all.
  chain_at := coalesce((select seq from audit_heads where tenant = of_tenant), 0);
  if not exists (select 1 from open_counts
    where tenant = of_tenant and server = of_server and asks + chain_at - seq < per_server) then
    select count(*) into counted from (
      select 1 from asks where state = 'open' and tenant = of_tenant
        and server >= of_server and server <= of_server and decide_by > at_ms
      order by server, decide_by limit per_server) few;
    if counted >= per_server then return 'server'; end if;
    if keeps_counts then
      insert into open_counts (tenant, server, seq, asks) values (of_tenant, of_server, chain_at, counted)
      on conflict (tenant, server) do update set seq = excluded.seq, asks = excluded.asks;
    end if;
  end if;

  if not exists (select 1 from open_counts
    where tenant = of_tenant and server = '' and asks + chain_at - seq < per_tenant) then
    select count(*) into counted from (
      select 1 from asks where state = 'open' and tenant >= of_tenant and tenant <= of_tenant and decide_by > at_ms
      order by tenant, server, decide_by limit per_tenant) few;
    if counted >= per_tenant then return 'tenant'; end if;
    if keeps_counts then
      insert into open_counts (tenant, server, seq, asks) values (of_tenant, '', chain_at, counted)
      on conflict (tenant, server) do update set seq = excluded.seq, asks = excluded.asks;
    end if;
  end if;
  return null;
end $$;

-- The same. If no limit is reached, that stays true until the calling transaction ends: transactions that raise asks for one
-- tenant run one after the other. A transaction that would have to wait checks once before waiting, so that one that is refused
-- has not waited.
create function full_for(of_tenant text, of_principal text, of_server text, at_ms bigint,
  per_caller bigint, per_server bigint, per_tenant bigint) returns text
  language plpgsql volatile
  as $$
declare
  turn bigint := hashtextextended(current_schema() || ' ' || of_tenant, 15);
  what text;
begin
  if not pg_try_advisory_xact_lock(turn) then
    what := full_now(of_tenant, of_principal, of_server, at_ms, per_caller, per_server, per_tenant, false);
    if what is not null then return what; end if;
    perform pg_advisory_xact_lock(turn);
  end if;
  return full_now(of_tenant, of_principal, of_server, at_ms, per_caller, per_server, per_tenant, true);
end $$;
