import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Appended, appendLeaves, edgeOf, emptyEdge, type HashTile, type RightEdge, rootOf } from './append.ts'
import { encodeBundle, parseBundle } from './bundle.ts'
import { verifyConsistency, verifyInclusion } from './merkle.ts'
import { naivePath, naiveProof, naiveRoot, naiveTile, sha256, someLeaves } from './naive.suite.ts'
import { edgeTiles, parseTilePath, type TileRef, tileIn, tilePath, tilesAt } from './tile.ts'
import { consistencyProof, inclusionProof, type ReadTile, type TileProof } from './tile-proofs.ts'

const leaves = someLeaves(3_000)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const hexOf = (proof: TileProof) => (proof.ok ? proof.hashes.map(hex) : proof.problem)

/** A store of tiles that refuses to change the bytes at a path. */
class TileFiles {
  readonly files = new Map<string, Uint8Array>()
  readonly read: ReadTile = (tile) => Promise.resolve(this.files.get(tilePath(tile)))

  write({ tiles }: Appended): void {
    for (const tile of tiles) {
      const before = this.files.get(tilePath(tile))
      if (before !== undefined) expect(before).toEqual(tile.hashes)
      this.files.set(tilePath(tile), tile.hashes)
    }
  }
}

function build(count: number, batches: readonly number[] = []): { files: TileFiles; edge: RightEdge } {
  const files = new TileFiles()
  let edge = emptyEdge
  const cuts = [...new Set([0, ...batches.map((one) => one % (count + 1)), count])].sort((a, b) => a - b)
  for (const [at, start] of cuts.entries()) {
    const appended = appendLeaves(edge, leaves.slice(start, cuts[at + 1] ?? count))
    files.write(appended)
    edge = appended.edge
  }
  return { files, edge }
}

test.each([
  [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
  [{ level: 0, index: 0, width: 1 }, 'tile/0/000.p/1'],
  [{ level: 1, index: 999, width: 255 }, 'tile/1/999.p/255'],
  [{ level: 63, index: 1_000, width: 256 }, 'tile/63/x001/000'],
  [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
  [{ level: 'entries', index: 1_234_067, width: 112 }, 'tile/entries/x001/x234/067.p/112'],
] as const)('[TLOG-1] the tile %j has the path %s', (tile, path) => {
  expect(tilePath(tile)).toBe(path)
  expect(parseTilePath(path)).toEqual(tile)
})

test.each([
  ...['', 'tile', 'tile/0', 'tile/0/0', 'tile/0/00', 'tile/0/0000', 'tile/0/x000/001', 'tile/0/x001/x000'],
  ...['tile/64/000', 'tile/00/000', 'tile/-1/000', 'tile/entry/000', 'tile/0/000.p/0', 'tile/0/000.p/256'],
  ...['tile/0/000.p/01', 'tile/0/000.p', 'tile/0/000.p/', '/tile/0/000', 'tile/0/000\n', 'tile/0/../000'],
  'tile/0/x999/x999/x999/x999/x999/999',
])('[TLOG-1] %j is not the path of a tile', (path) => {
  expect(parseTilePath(path)).toBeUndefined()
})

test('[TLOG-1] a tree of 70,000 leaves has the tiles that the specification lists', () => {
  expect([...tilesAt(70_000, 0)].map(({ width }) => width)).toEqual([...Array(273).fill(256), 112])
  expect([...tilesAt(70_000, 1)].map(({ width }) => width)).toEqual([256, 17])
  expect([...tilesAt(70_000, 2)].map(({ width }) => width)).toEqual([1])
  expect([...tilesAt(70_000, 3)]).toEqual([])
  expect(edgeTiles(70_000).map(tilePath)).toEqual(['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1'])
  expect([...tilesAt(256, 0), ...tilesAt(256, 1)].map(tilePath)).toEqual(['tile/0/000', 'tile/1/000.p/1'])
  expect(edgeTiles(0)).toEqual([])
  expect(tileIn(256, 0, 1)).toBeUndefined()
})

test('[TLOG-1] for every size from 0 to 300, root and tiles are those of the recursive definition', () => {
  for (let size = 0; size <= 300; size++) {
    const { files, edge } = build(size)
    expect(edge.size).toBe(size)
    expect(hex(rootOf(edge))).toBe(hex(naiveRoot(leaves, size)))
    const tiles = [0, 1].flatMap((level) => [...tilesAt(size, level)])
    expect([...files.files.keys()].sort()).toEqual(tiles.map(tilePath).sort())
    for (const tile of tiles) {
      const expected = naiveTile(leaves, size, Number(tile.level), tile.index)
      expect(Buffer.compare(files.files.get(tilePath(tile)) ?? sha256(), expected)).toBe(0)
    }
  }
})

test('[TLOG-1] the same leaves in any batches lead to the same edge and the same tiles', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 3_000 }), fc.array(fc.nat(3_000), { maxLength: 12 }), (count, batches) => {
      const [whole, parts] = [build(count), build(count, batches)]
      expect(parts.edge).toEqual(whole.edge)
      expect(hex(rootOf(parts.edge))).toBe(hex(naiveRoot(leaves, count)))
      for (const [path, bytes] of whole.files.files) expect(parts.files.files.get(path)).toEqual(bytes)
      for (const path of parts.files.files.keys()) expect(parseTilePath(path)).toBeDefined()
    }),
    { numRuns: 40 },
  )
})

test('[TLOG-1] the edge can be read back from the partial tiles, and from nothing else', async () => {
  for (const size of [0, 1, 255, 256, 257, 511, 512, 2_999]) {
    const { files, edge } = build(size)
    const stored = edgeTiles(size).map((tile) => ({ ...tile, hashes: files.files.get(tilePath(tile)) })) as HashTile[]
    expect(edgeOf(size, stored)).toEqual(edge)
    if (stored.length === 0) continue
    expect(edgeOf(size, stored.slice(1))).toBeUndefined()
    expect(edgeOf(size + 1, stored)).toBeUndefined()
    expect(edgeOf(size, [{ ...(stored[0] as HashTile), hashes: new Uint8Array(32 * 256) }])).toBeUndefined()
  }
})

test('[TLOG-1] a hash of the wrong length is not appended', () => {
  expect(() => appendLeaves(emptyEdge, [new Uint8Array(31)])).toThrow('A hash has 32 bytes.')
})

async function expectProofs(size: number, index: number, older: number, files: TileFiles): Promise<void> {
  const root = naiveRoot(leaves, size)
  const included = await inclusionProof(index, size, files.read)
  expect(hexOf(included)).toEqual(naivePath(index, leaves, size).map(hex))
  const consistent = await consistencyProof(older, size, files.read)
  expect(hexOf(consistent)).toEqual(naiveProof(older, leaves, size).map(hex))
  if (!included.ok || !consistent.ok) return
  expect(verifyInclusion(leaves[index] ?? root, index, size, root, included.hashes)).toBe(true)
  const before = { size: older, root: naiveRoot(leaves, older) }
  expect(verifyConsistency(before, { size, root }, consistent.hashes)).toBe(true)
}

test('[TLOG-2] proofs from tiles are those of the recursive definition, for every size from 1 to 300', async () => {
  for (let size = 1; size <= 300; size++) {
    const { files } = build(size)
    for (const pick of [0, 1, 127, 128, 254, 255, 256, 257, size - 1, Math.floor(size / 2)]) {
      await expectProofs(size, Math.min(pick, size - 1), Math.min(pick, size), files)
    }
  }
})

test('[TLOG-2] proofs from tiles are those of the recursive definition, for random larger sizes', async () => {
  const property = fc.asyncProperty(fc.integer({ min: 301, max: 3_000 }), fc.nat(), fc.nat(), async (size, a, b) =>
    expectProofs(size, a % size, b % (size + 1), build(size).files),
  )
  await fc.assert(property, { numRuns: 25 })
})

test('[TLOG-2] proofs in trees of three levels use only the tiles that the tree has', async () => {
  // Every leaf is the same, so a perfect tree has one hash per height and the tiles need not be computed one by one.
  const heights = [sha256(Uint8Array.of(0))]
  for (let height = 0; height < 30; height++) {
    const below = heights[height] ?? sha256()
    heights.push(sha256(Uint8Array.of(1), below, below))
  }
  const size = 256 ** 3 + 70_000
  const read: ReadTile = (tile) => {
    expect(tileIn(size, tile.level, tile.index)).toEqual(tile)
    return Promise.resolve(Buffer.concat(Array(tile.width).fill(heights[8 * Number(tile.level)])))
  }
  const rootOfEqual = (count: number): Uint8Array => {
    if (Number.isInteger(Math.log2(count))) return heights[Math.log2(count)] ?? sha256()
    const left = 2 ** Math.floor(Math.log2(count))
    return sha256(Uint8Array.of(1), rootOfEqual(left), rootOfEqual(count - left))
  }
  const newer = { size, root: rootOfEqual(size) }
  for (const index of [0, 1, 255, 256, 65_535, 65_536, 256 ** 3 - 1, 256 ** 3, size - 1]) {
    const included = await inclusionProof(index, size, read)
    expect(included.ok && verifyInclusion(heights[0] ?? sha256(), index, size, newer.root, included.hashes)).toBe(true)
    if (index === 0) continue
    const consistent = await consistencyProof(index, size, read)
    const older = { size: index, root: rootOfEqual(index) }
    expect(consistent.ok && verifyConsistency(older, newer, consistent.hashes)).toBe(true)
  }
})

test('[TLOG-2] a proof outside the tree, or from a missing or shortened tile, is refused with the reason', async () => {
  const { files } = build(300)
  expect(await inclusionProof(300, 300, files.read)).toMatchObject({ ok: false })
  expect(await inclusionProof(-1, 300, files.read)).toMatchObject({ ok: false })
  expect(await consistencyProof(301, 300, files.read)).toMatchObject({ ok: false })
  const missing: ReadTile = () => Promise.resolve(undefined)
  expect(await inclusionProof(299, 300, missing)).toEqual({
    ok: false,
    problem: 'The tile tile/0/001.p/44 is missing.',
  })
  const short: ReadTile = (tile: TileRef) => Promise.resolve(files.files.get(tilePath(tile))?.subarray(32))
  expect(await consistencyProof(299, 300, short)).toMatchObject({ problem: expect.stringContaining('does not have') })
})

test('[TLOG-1] a bundle returns its entries, and is refused with another number of entries or other bytes', () => {
  const entry = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 256 }), (entries) => {
      const bundle = encodeBundle(entries)
      expect(parseBundle(bundle, entries.length)?.map((one) => [...one])).toEqual(entries.map((one) => [...one]))
      expect(parseBundle(bundle, entries.length + 1)).toBeUndefined()
      expect(parseBundle(bundle, entries.length - 1)).toBeUndefined()
      expect(parseBundle(bundle.subarray(0, -1), entries.length)).toBeUndefined()
      expect(parseBundle(Buffer.concat([bundle, Buffer.from([0])]), entries.length)).toBeUndefined()
    }),
  )
})

test('[TLOG-1] an entry has at most 65,535 bytes, and a bundle 256 entries', () => {
  const longest = new Uint8Array(65_535)
  expect(parseBundle(encodeBundle([longest]), 1)?.[0]).toHaveLength(65_535)
  expect(() => encodeBundle([new Uint8Array(65_536)])).toThrow('at most 65535 bytes')
  expect(() => encodeBundle([])).toThrow('between 1 and 256')
  expect(() => encodeBundle(Array(257).fill(longest))).toThrow('between 1 and 256')
})
