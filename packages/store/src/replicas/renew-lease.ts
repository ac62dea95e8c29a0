import { apartQuery, query, unhurriedQuery } from '../engine/statement.ts'

export const renewLease = query<{ id: string; lease: number }>(
  'renew_replica',
  `insert into replicas (id, lease_until) values (:id, :now + cast(:lease as bigint))
   on conflict (id) do update set lease_until = excluded.lease_until`,
)

export const findAlive = query<{ id: string }, { id: string }>(
  'find_alive_replica',
  'select id from replicas where id = :id and lease_until > :now',
)

export const endLease = query<{ id: string }>('end_replica', 'delete from replicas where id = :id')

/** Deletes rows of processes that died long ago. */
export const forgetReplicas = unhurriedQuery<{ margin: number }, { id: string }>(
  'forget_replicas',
  'delete from replicas where lease_until < :now - cast(:margin as bigint) returning id',
)

/** A row that is dead from the start. The sweep deletes it when it is no longer renewed. */
export const confirmWrite = apartQuery<{ id: string }>(
  'confirm_write',
  `insert into replicas (id, lease_until) values (:id, :now)
   on conflict (id) do update set lease_until = excluded.lease_until`,
)
