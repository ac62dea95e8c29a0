import { expect, test } from 'vitest'
import { newNameAt, newReplicaId, replicaOf } from './replica-names.ts'

test('[FLEET-1] a name contains the id of its replica, and no two names are equal', () => {
  const replica = newReplicaId()
  const names = [newNameAt(replica), newNameAt(replica)]

  expect(names.map(replicaOf)).toEqual([replica, replica])
  expect(new Set([...names, newNameAt(newReplicaId())]).size).toBe(3)
  expect(newReplicaId()).not.toBe(replica)
})

test('[FLEET-14] a malformed name belongs to no replica', () => {
  const id = newReplicaId()

  for (const name of [
    undefined,
    7,
    { split: () => ['', id] },
    '',
    id,
    'name.',
    'name.x',
    `name.x${id}`,
    `name.${id}x`,
    `name.${id.toUpperCase()}X`,
    `name.${id.replaceAll('-', '')}`,
    `name.${id.slice(1)}`,
    `name.${id.slice(0, -1)}`,
    `name.x.${id}`,
  ])
    expect([name, replicaOf(name)]).toEqual([name, undefined])
  expect(replicaOf(`name.${id}.more`)).toBe(id)
})
