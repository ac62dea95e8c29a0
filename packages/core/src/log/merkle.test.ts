import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendLeaves, emptyEdge, rootOf } from './append.ts'
import { emptyRoot, leafHash, verifyConsistency, verifyInclusion } from './merkle.ts'
import { naivePath, naiveProof, naiveRoot, someLeaves } from './naive.suite.ts'

const base64 = (text: string) => Buffer.from(text, 'base64')

// The inputs and roots that implementations of Certificate Transparency test with.
const ctLeaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ctHashes = ctLeaves.map((hex) => leafHash(Buffer.from(hex, 'hex')))
const ctRoots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const inclusionOf5 = [
  'vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms=',
  'yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA=',
  '037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=',
].map(base64)
const from6to8 = [
  'DrxdNDf74tsVi58Sah0RjjCBgQMdCpSfje3t68VY72o=',
  'yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA=',
  '037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=',
].map(base64)

test.each(ctRoots.map((root, size) => [size, root] as const))(
  '[TLOG-1] the tree of the first %i leaves of Certificate Transparency has the published root',
  (size, root) => {
    const { edge } = appendLeaves(emptyEdge, ctHashes.slice(0, size))
    expect(Buffer.from(rootOf(edge)).toString('hex')).toBe(root)
  },
)

test('[TLOG-2] known proofs of that tree verify, and only for their own leaf and sizes', () => {
  const root = Buffer.from(ctRoots[8] ?? '', 'hex')
  const leaf = ctHashes[5] ?? emptyRoot
  expect(verifyInclusion(leaf, 5, 8, root, inclusionOf5)).toBe(true)
  expect(verifyInclusion(leaf, 4, 8, root, inclusionOf5)).toBe(false)
  expect(verifyInclusion(ctHashes[4] ?? emptyRoot, 5, 8, root, inclusionOf5)).toBe(false)
  const older = { size: 6, root: Buffer.from(ctRoots[6] ?? '', 'hex') }
  expect(verifyConsistency(older, { size: 8, root }, from6to8)).toBe(true)
  expect(verifyConsistency({ ...older, size: 5 }, { size: 8, root }, from6to8)).toBe(false)
  expect(verifyConsistency(older, { size: 9, root }, from6to8)).toBe(false)
  expect(verifyConsistency(older, { size: 8, root }, [])).toBe(false)
})

test('[TLOG-2] an inner node is not accepted as a leaf', () => {
  const root = naiveRoot(ctHashes)
  const upper = naivePath(0, ctHashes).slice(1)
  const inner = naiveRoot(ctHashes, 2)
  expect(verifyInclusion(inner, 0, 8, root, upper)).toBe(false)
  expect(verifyInclusion(inner, 0, 4, root, upper)).toBe(true)
  expect(leafHash(Buffer.concat(ctHashes.slice(0, 2)))).not.toEqual(inner)
})

test('[TLOG-2] every leaf of every tree with up to 130 leaves is included, and every older tree is a part of it', () => {
  const leaves = someLeaves(130)
  const roots = Array.from({ length: 131 }, (_, size) => naiveRoot(leaves, size))
  const at = (size: number) => ({ size, root: roots[size] ?? emptyRoot })
  const failed: string[] = []
  for (let size = 1; size <= 130; size++) {
    for (const [index, leaf] of leaves.slice(0, size).entries()) {
      const isIncluded = verifyInclusion(leaf, index, size, at(size).root, naivePath(index, leaves, size))
      if (!isIncluded) failed.push(`leaf ${index} of ${size}`)
    }
    for (let older = 0; older <= size; older++) {
      const isPart = verifyConsistency(at(older), at(size), naiveProof(older, leaves, size))
      if (!isPart) failed.push(`${older} to ${size}`)
    }
  }
  expect(failed).toEqual([])
})

/** Ways to make a list of hashes wrong. */
function spoilt(proof: readonly Uint8Array[], how: number, at: number): Uint8Array[] {
  const changed = [...proof]
  const place = proof.length === 0 ? 0 : at % proof.length
  const extra = Buffer.alloc(32, 1)
  if (how === 0) changed.push(extra)
  if (how === 1) changed.unshift(extra)
  if (how === 2) changed.splice(place, 1)
  if (how === 3) changed.splice(place, 1, extra)
  if (how === 4) changed.splice(place, 1, (proof[place] ?? extra).subarray(0, 31))
  if (how === 5) changed.splice(place, 0, proof[place] ?? extra)
  if (how === 6) changed.reverse()
  return changed
}

test('[TLOG-2] changed proofs, other sizes and other roots are refused', () => {
  const leaves = someLeaves(100)
  const size = fc.integer({ min: 2, max: 100 })
  fc.assert(
    fc.property(size, fc.nat(), fc.nat(6), fc.nat(), (newSize, pick, how, at) => {
      const root = naiveRoot(leaves, newSize)
      const index = pick % newSize
      const leaf = leaves[index] ?? emptyRoot
      const path = naivePath(index, leaves, newSize)
      const wrong = spoilt(path, how, at)
      const isSame = wrong.length === path.length && wrong.every((one, i) => Buffer.compare(one, path[i] ?? one) === 0)
      expect(verifyInclusion(leaf, index, newSize, root, wrong)).toBe(isSame)
      expect(verifyInclusion(leaf, (index + 1) % newSize, newSize, root, path)).toBe(false)
      expect(verifyInclusion(leaf, newSize, newSize, root, path)).toBe(false)
      expect(verifyInclusion(leaf, index, newSize, naiveRoot(leaves, newSize, 1), path)).toBe(false)

      const olderSize = 1 + (pick % (newSize - 1))
      const [older, newer] = [
        { size: olderSize, root: naiveRoot(leaves, olderSize) },
        { size: newSize, root },
      ]
      const proof = naiveProof(olderSize, leaves, newSize)
      const broken = spoilt(proof, how, at)
      const isSameProof =
        broken.length === proof.length && broken.every((one, i) => Buffer.compare(one, proof[i] ?? one) === 0)
      expect(verifyConsistency(older, newer, broken)).toBe(isSameProof)
      expect(verifyConsistency(newer, older, proof)).toBe(false)
      expect(verifyConsistency({ ...older, root }, newer, proof)).toBe(false)
      expect(verifyConsistency(older, { ...newer, root: older.root }, proof)).toBe(false)
    }),
    { numRuns: 300 },
  )
})

test('[TLOG-2] the empty tree is consistent with every tree, with its own root and an empty proof only', () => {
  const newer = { size: 3, root: naiveRoot(someLeaves(3)) }
  expect(verifyConsistency({ size: 0, root: emptyRoot }, newer, [])).toBe(true)
  expect(verifyConsistency({ size: 0, root: newer.root }, newer, [])).toBe(false)
  expect(verifyConsistency({ size: 0, root: emptyRoot }, newer, [emptyRoot])).toBe(false)
  expect(verifyConsistency({ size: -1, root: emptyRoot }, newer, [])).toBe(false)
  expect(verifyConsistency({ size: 1.5, root: emptyRoot }, newer, [])).toBe(false)
  expect(verifyInclusion(emptyRoot, 0, 0, emptyRoot, [])).toBe(false)
})
