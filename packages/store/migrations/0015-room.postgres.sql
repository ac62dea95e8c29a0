-- How many asks were open when they were last counted, and which was the tenant's last entry then. An ask that is raised is an
-- entry, whichever version of the program raises it: so at most as many asks have come since as entries have, and while that
-- leaves room nobody counts again. A count of long ago is never wrong, only of less use.
create table open_counts (
  tenant text not null,
  -- Empty for all servers of the tenant.
  server text not null,
  seq bigint not null,
  asks bigint not null,
  primary key (tenant, server)
);

-- What is full, or null: caller, server or tenant. Volatile, so that each of its statements sees all that was committed before
-- that statement, however long ago the one that called it began.
--
-- Ranges in the order of one index, in place of plain equalities: what the database does not know yet of its tables must not
-- lead it to another index, through the asks of everybody else.
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

  -- Before anything is counted: what comes in between is then counted twice, and never not at all.
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

-- The same, and when nothing is full it stays so until the calling transaction ends: who raises for a tenant does so one after
-- the other. Who would have to wait looks before that too, so that whoever is refused has waited for nobody.
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
