import { expect, test } from 'vitest'
import { migrationsFor } from '../engine/migrations.ts'
import { problemsOf } from './migration-rules.suite.ts'

test.each(migrationsFor('postgres'))('[STORE-34] $name only adds, and locks no table in use for long', (migration) => {
  expect(problemsOf(migration)).toEqual([])
})

test('[STORE-34] migrations for SQLite are checked too', () => {
  expect(migrationsFor('sqlite').flatMap(problemsOf)).toEqual([])
})

test.each([
  'drop table asks',
  'drop index asks_due',
  'alter table asks drop column tool',
  'alter table asks rename column tool to tool_name',
  'alter table asks rename to questions',
  'alter table asks alter column tool set not null',
  'alter table asks alter column accepts type bigint',
  'alter table asks add column weight integer not null',
  'alter table asks add column made_at bigint default random()',
  'alter table asks add column other text unique',
  'alter table asks add column other text references grants',
  'alter table asks add constraint one check (accepts > 0)',
  'alter table asks add constraint one check (accepts > 0) not valid',
  "insert into migrations (name, digest) values ('needs 9999-planted.sql', ''); alter table asks add constraint one check (accepts > 0)",
  'create table one (id text); create index asks_by_tool on asks (tool)',
  'create unique index asks_by_tool on asks (tool)',
  'create or replace function sha256hex(input text) returns text as $$ select input; $$',
  'create trigger t before insert on asks execute function f()',
  'update asks set tool = null',
  'truncate asks',
  "insert into asks (id) values ('x')",
  "create table one (id text); alter table asks add column a text default 'drop table x;'; drop table one",
  '-- nothing but words',
  "insert into migrations (name, digest) values ('needs 0031-x.sql', ''); drop table asks",
])('[STORE-34] a migration that would break an older version, or lock tables, is found: %s', (sql) => {
  expect(problemsOf({ name: '9999-planted.sql', sql })).toHaveLength(1)
})

test.each([
  'create index asks_by_tool on asks (tool)',
  'create table one (id text); create unique index ones on one (id)',
  "-- drop table asks;\nalter table asks add column note text default 'a; b'",
  'alter table asks add column weight integer not null default 0',
  "insert into migrations (name, digest) values ('needs 0031-x.sql', '')",
  "insert into migrations (name, digest) values ('needs 9999-planted.sql', ''); drop table asks; drop function f(text, bigint)",
  "insert into migrations (name, digest) values ('needs 9999-planted.sql', ''); alter table asks add constraint one check (accepts > 0) not valid",
])('[STORE-34] a migration that only adds is accepted: %s', (sql) => {
  expect(problemsOf({ name: '9999-planted.sql', sql })).toEqual([])
})
