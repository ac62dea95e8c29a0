import { expect, test } from 'vitest'
import { appendLeaves, emptyEdge, rootOf } from './append.ts'
import { encodeBundle } from './bundle.ts'
import { exportLogFiles, type LogExported } from './export-log.ts'
import { encodeLeaf, saltedDigest } from './leaf.ts'
import { leafHash } from './merkle.ts'
import { tilePath, tileWidth } from './tile.ts'
import { inclusionProof } from './tile-proofs.ts'

const digest = saltedDigest(Buffer.alloc(16), '{}')

function leavesOf(count: number, word = 'relay'): Uint8Array[] {
  return [...Array(count).keys()].map((atMs) =>
    encodeLeaf({ subject: word, counter: 0, kind: 'note', atMs, bodyDigest: digest }),
  )
}

const stateOf = (leaves: readonly Uint8Array[]) => ({
  size: leaves.length,
  root: rootOf(appendLeaves(emptyEdge, leaves.map(leafHash)).edge),
})

/** Every file of a log of this size, made without an export. */
function filesOf(leaves: readonly Uint8Array[]): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  for (const tile of appendLeaves(emptyEdge, leaves.map(leafHash)).tiles) files.set(tilePath(tile), tile.hashes)
  for (let index = 0; index * tileWidth < leaves.length; index++) {
    const part = leaves.slice(index * tileWidth, (index + 1) * tileWidth)
    files.set(tilePath({ level: 'entries', index, width: part.length }), encodeBundle(part))
  }
  return files
}

async function exported(
  leaves: readonly (Uint8Array | undefined)[],
  { older = stateOf([]), head = stateOf(leaves as Uint8Array[]), files = new Map<string, Uint8Array>() } = {},
): Promise<{ result: LogExported; files: Map<string, Uint8Array>; written: string[] }> {
  const whole = filesOf(leaves.map((leaf) => leaf ?? new Uint8Array(0)))
  const written: string[] = []
  const result = await exportLogFiles({
    older,
    head,
    // A stored tile of the database is the widest one; narrower ones are its beginning.
    tile: ({ level, index, width }) => {
      const hashes = [...Array(tileWidth + 1).keys()].flatMap(
        (one) => whole.get(tilePath({ level, index, width: one })) ?? [],
      )
      return Promise.resolve(hashes.at(-1)?.subarray(0, width * 32))
    },
    leaves: async function* (from) {
      yield* leaves.slice(from)
    },
    write: async (path, bytes) => {
      written.push(path)
      files.set(path, bytes)
    },
  })
  return { result, files, written }
}

test('[TLOG-20] exports in any steps have every file of the log, and write only what is new', async () => {
  const leaves = leavesOf(1_100)
  const files = new Map<string, Uint8Array>()
  let older = stateOf([])
  for (const size of [1, 5, 255, 256, 257, 300, 512, 600, 1_024, 1_030, 1_030, 1_100]) {
    const { result, written } = await exported(leaves.slice(0, size), { older, files })
    expect(result).toEqual({ ok: true, files: written.length })
    const expected = filesOf(leaves.slice(0, size))
    for (const [path, bytes] of expected) expect(Buffer.from(files.get(path) ?? [])).toEqual(Buffer.from(bytes))
    const before = filesOf(leaves.slice(0, older.size))
    expect(written.toSorted()).toEqual([...expected.keys()].filter((path) => !before.has(path)).toSorted())
    older = stateOf(leaves.slice(0, size))
  }
  const proof = await inclusionProof(700, 1_100, (tile) => Promise.resolve(files.get(tilePath(tile))))
  expect(proof.ok).toBe(true)
})

test.each([0, 1, 256, 300, 512, 600])(
  '[TLOG-20] a log that does not continue the older checkpoint of %i entries is refused, and no file is written',
  async (size) => {
    const leaves = leavesOf(600)
    const fork = size === 0 ? { ...stateOf([]), root: stateOf(leaves).root } : stateOf(leavesOf(size, 'other'))
    const { result, written } = await exported(leaves, { older: fork })
    expect({ result, written }).toEqual({
      result: { ok: false, problem: expect.stringMatching(/not those of the older checkpoint/) },
      written: [],
    })
  },
)

test('[TLOG-20] a log that is shorter than the older checkpoint is refused', async () => {
  const { result, written } = await exported(leavesOf(300), { older: stateOf(leavesOf(301)) })
  expect(result).toMatchObject({ ok: false, problem: expect.stringContaining('ends at entry 300') })
  expect(written).toEqual([])
})

test('[TLOG-20] entries that the checkpoint was not signed for, and entries that cannot be read, are refused', async () => {
  const leaves = leavesOf(600)
  const changed = [...leaves.slice(0, 599), ...leavesOf(1, 'forged')]
  expect((await exported(changed, { head: stateOf(leaves) })).result).toMatchObject({
    ok: false,
    problem: 'The entries are not those that the checkpoint was signed for.',
  })
  const without = leaves.map((leaf, at) => (at === 400 ? undefined : leaf))
  expect((await exported(without, { head: stateOf(leaves) })).result).toMatchObject({
    ok: false,
    problem: 'Entry 401 of the log cannot be read.',
  })
  const cut = await exported(leaves.slice(0, 599), { head: stateOf(leaves) })
  expect(cut.result).toMatchObject({ ok: false, problem: 'Entry 600 of the log cannot be read.' })
})

test('[TLOG-20] an export that cannot be continued because a tile is missing is refused', async () => {
  const leaves = leavesOf(tileWidth + 1)
  const result = await exportLogFiles({
    older: stateOf(leaves.slice(0, tileWidth)),
    head: stateOf(leaves),
    tile: () => Promise.resolve(undefined),
    leaves: async function* (from) {
      yield* leaves.slice(from)
    },
    write: () => Promise.reject(new Error('Nothing is written.')),
  })
  expect(result).toEqual({ ok: false, problem: 'A tile of the log is missing.' })
})
