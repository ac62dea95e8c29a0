import { query } from '../engine/statement.ts'

export type CheckpointRow = {
  tenant: string
  seq: number
  hash: string
  at: number
  key_id: string
  signature: string
}

/** If the same end of a chain is signed twice with one key, the first signature is kept. */
export const keepCheckpoint = query<CheckpointRow>(
  'keep_checkpoint',
  `insert into audit_checkpoints (tenant, seq, hash, at, key_id, signature)
   values (:tenant, cast(:seq as bigint), :hash, cast(:at as bigint), :key_id, :signature)
   on conflict (tenant, seq, key_id) do nothing`,
)

export const readCheckpoints = query<{ tenant: string }, CheckpointRow>(
  'read_checkpoints',
  `select tenant, seq, hash, at, key_id, signature from audit_checkpoints where tenant = :tenant order by seq, key_id`,
)
