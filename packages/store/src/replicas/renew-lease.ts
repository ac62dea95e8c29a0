import { backgroundQuery, isolatedQuery, query } from '../engine/statement.ts'

export const renewReplica = query<{ id: string; lease: number }>(
  'renew_replica',
  `insert into replicas (id, lease_until) values (:id, :now + cast(:lease as bigint))
   on conflict (id) do update set lease_until = excluded.lease_until`,
)

export const findLiveReplica = query<{ id: string }, { id: string }>(
  'find_alive_replica',
  'select id from replicas where id = :id and lease_until > :now',
)

export const endReplica = query<{ id: string }>('end_replica', 'delete from replicas where id = :id')

/** Deletes rows of processes that died long ago. */
export const deleteReplicas = backgroundQuery<{ margin: number }, { id: string }>(
  'delete_replicas',
  'delete from replicas where lease_until < :now - cast(:margin as bigint) returning id',
)

/** Writes a row whose lease has already ended. The sweep deletes it when it is no longer renewed. */
export const confirmWrite = isolatedQuery<{ id: string }>(
  'confirm_write',
  `insert into replicas (id, lease_until) values (:id, :now)
   on conflict (id) do update set lease_until = excluded.lease_until`,
)
