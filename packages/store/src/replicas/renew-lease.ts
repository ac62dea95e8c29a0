import { atomic, backgroundQuery, isolatedQuery, query } from '../engine/statement.ts'

/** Whether the lease of the replica with this id is valid, as a condition of another statement. */
export function isLeaseValid(id: string): string {
  return `exists (select 1 from replicas where replicas.id = ${id} and replicas.lease_until > :now)`
}

/** Returns the replica if its lease was still valid before this renewal. */
export const renewReplica = atomic<{ id: string; address: string | null; lease: number }, { id: string }>(
  'renew_replica',
  {
    name: 'valid',
    returns: ['id'],
    sql: 'select id from replicas where id = :id and lease_until > :now',
  },
  {
    name: 'renewed',
    sql: `insert into replicas (id, address, lease_until) values (:id, :address, :now + cast(:lease as bigint))
      on conflict (id) do update set address = excluded.address, lease_until = excluded.lease_until`,
  },
)

/** The gateways that are alive. Few, so that they are read together. */
export const listLiveReplicas = query<Record<string, never>, { id: string; address: string }>(
  'list_live_replicas',
  'select id, address from replicas where lease_until > :now and address is not null',
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
