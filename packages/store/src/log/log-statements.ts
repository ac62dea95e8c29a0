import { backgroundQuery, query, type Statement } from '../engine/statement.ts'
import { currentSnapshot } from './position.ts'

export type HeadRow = {
  tenant: string
  origin: string
  size: number
  root: string
  checkpoint: string
  signed_at: number
  position: string
  sequencer: string | null
  lease_until: number | null
  now: number
}

export const readHead = query<{ tenant: string }, HeadRow>(
  'read_log_head',
  `select tenant, origin, size, root, checkpoint, signed_at, position, sequencer, lease_until, :now as now
   from log_heads where tenant = :tenant`,
)

/** Creates the log of a tenant, unless it exists. */
export const beginLog = query<{ tenant: string; origin: string; root: string; position: string }>(
  'begin_log',
  `insert into log_heads (tenant, origin, size, root, checkpoint, signed_at, position)
   values (:tenant, :origin, 0, :root, '', :now, :position) on conflict (tenant) do nothing`,
)

export type AdvanceParams = {
  tenant: string
  size_before: number
  root_before: string
  position_before: string
  size: number
  root: string
  checkpoint: string
  position: string
  sequencer: string
  lease: number
  /** JSON: `[place, entry id, hash]` of each new entry. */
  entries: string
  /** JSON: `[level, place, hashes]` of each tile that is new or has grown. */
  tiles: string
}

/**
 * Adds entries to the log: their places, the tiles and the signed checkpoint, all or nothing.
 *
 * Size, root and position in the where clause are the lock: of two sequencers that read the same state, the second changes
 * nothing. So no size is stored with two roots, and no entry has two places.
 */
export const advanceLog: Statement<AdvanceParams, { tenant: string }> = {
  name: 'advance_log',
  result: 'advanced',
  isBackground: true,
  parts: [
    {
      name: 'advanced',
      returns: ['tenant'],
      sql: `
        update log_heads set size = cast(:size as bigint), root = :root, checkpoint = :checkpoint, signed_at = :now,
          position = :position, sequencer = cast(:sequencer as text), lease_until = :now + cast(:lease as bigint)
        where tenant = :tenant and size = cast(:size_before as bigint) and root = :root_before
          and position = :position_before
        returning tenant`,
    },
    {
      name: 'placed',
      sql: `
        insert into log_index (tenant, place, entry_id, hash)
        select a.tenant, cast(e ->> 0 as bigint), cast(e ->> 1 as bigint), e ->> 2
        from advanced a, jsonb_array_elements(cast(:entries as jsonb)) e`,
      sqlite: `
        insert into log_index (tenant, place, entry_id, hash)
        select a.tenant, e.value ->> '$[0]', e.value ->> '$[1]', e.value ->> '$[2]'
        from advanced a, json_each(:entries) e`,
    },
    {
      name: 'tiled',
      sql: `
        insert into log_tiles (tenant, level, place, hashes)
        select a.tenant, cast(e ->> 0 as integer), cast(e ->> 1 as bigint), e ->> 2
        from advanced a, jsonb_array_elements(cast(:tiles as jsonb)) e
        on conflict (tenant, level, place) do update set hashes = excluded.hashes`,
      sqlite: `
        insert into log_tiles (tenant, level, place, hashes)
        select a.tenant, e.value ->> '$[0]', e.value ->> '$[1]', e.value ->> '$[2]'
        from advanced a, json_each(:tiles) e where 1 = 1
        on conflict (tenant, level, place) do update set hashes = excluded.hashes`,
    },
  ],
}

/** Signs the same size and root again, with other keys. */
export const signAgain = query<
  { tenant: string; size: number; root: string; checkpoint: string; before: string },
  { tenant: string }
>(
  'sign_log_again',
  `update log_heads set checkpoint = :checkpoint
   where tenant = :tenant and size = cast(:size as bigint) and root = :root and checkpoint = :before
   returning tenant`,
)

export const readTile = query<{ tenant: string; level: number; place: number }, { hashes: string }>(
  'read_log_tile',
  `select hashes from log_tiles
   where tenant = :tenant and level = cast(:level as integer) and place = cast(:place as bigint)`,
)

export type UnplacedRow = {
  snapshot: string
  id: number | null
  at: number
  kind: string
  subject: string
  counter: number
  digest: string
  assertion_digest: string | null
}

/**
 * Entries that have no place in the signed log. A row beyond its size is none: with one, a person who can write to this table
 * would keep an entry out of the log.
 *
 * A subquery by entry, and no join: in a database without statistics the planner would read the whole index for every entry.
 */
export const hasNoPlace = (entries: string) => `coalesce(
  (select i.place from log_index i where i.tenant = ${entries}.tenant and i.entry_id = ${entries}.id), -1
) not between 0 and coalesce((select h.size - 1 from log_heads h where h.tenant = ${entries}.tenant), -1)`

const unplaced = (snapshot: string, atMost: string) => `
  select s.snapshot, e.id, e.at, e.kind, e.subject, e.counter, e.digest, e.assertion_digest
  from (select ${snapshot} as snapshot) s left join (
    select * from audit_entries a where a.tenant = :tenant
      and ${hasNoPlace('a')}
    order by a.id limit ${atMost}
  ) e on 1 = 1
  order by e.id`

/**
 * Entries that have no place in the log, whatever the position is. It reads all of them: for a database that was restored, and
 * for verification.
 */
export const readUnplaced: Statement<{ tenant: string; at_most: number }, UnplacedRow> = {
  name: 'read_unplaced',
  result: 'only',
  isBackground: true,
  parts: [
    {
      name: 'only',
      sql: unplaced(currentSnapshot, 'cast(:at_most as bigint)'),
      sqlite: unplaced(
        `cast((select coalesce(max(id), 0) from audit_entries where tenant = :tenant) as text)`,
        'cast(:at_most as integer)',
      ),
    },
  ],
}

export type PlacedRow = {
  tenant: string
  place: number
  hash: string
  id: number | null
  at: number | null
  kind: string | null
  subject: string | null
  counter: number | null
  digest: string | null
  assertion_digest: string | null
  salt: string | null
  body: string | null
}

/** A page of the log, in order. The columns of an entry that is missing are null. */
export const readPlaced = backgroundQuery<{ tenant: string; from_place: number; at_most: number }, PlacedRow>(
  'read_placed',
  `select i.tenant, i.place, i.hash, e.id, e.at, e.kind, e.subject, e.counter, e.digest, e.assertion_digest, e.salt, e.body
   from (
     select tenant, place, entry_id, hash from log_index
     where tenant = :tenant and place >= cast(:from_place as bigint)
     order by place limit cast(:at_most as bigint)
   ) i left join audit_entries e on e.tenant = i.tenant and e.id = i.entry_id
   order by i.place`,
)

/** A row of the index that is outside the log. */
export const readOutside = backgroundQuery<{ tenant: string }, { place: number }>(
  'read_outside',
  `select i.place from log_heads h join log_index i on i.tenant = h.tenant
   where h.tenant = :tenant and (i.place < 0 or i.place >= h.size) limit 1`,
)
