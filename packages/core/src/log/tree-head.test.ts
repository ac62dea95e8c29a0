import fc from 'fast-check'
import { expect, test } from 'vitest'
import { logLimits } from '../limits.ts'
import { appendLeaves, emptyEdge, rootOf } from './append.ts'
import { signerFrom } from './keys.suite.ts'
import { emptyRoot } from './merkle.ts'
import { naivePath, naiveRoot, someLeaves } from './naive.suite.ts'
import { formatNote } from './note.ts'
import { signText } from './note-key.ts'
import { formatLogProof, parseLogProof, verifyLogProof } from './proof-file.ts'
import { openCheckpoint, parseTreeHead, signTreeHead, treeHeadText } from './tree-head.ts'

const origin = 'assent.example/acme'
const log = signerFrom(7, origin)
const logs = [log.key]
const leaves = someLeaves(8)
const head = { origin, size: 8, root: naiveRoot(leaves) }
const note = signTreeHead(head, log)

test('[TLOG-4] a checkpoint has three lines below each other: origin, size and root', () => {
  expect(treeHeadText(head)).toBe(`${origin}\n8\n${Buffer.from(head.root).toString('base64')}\n`)
  expect(parseTreeHead(treeHeadText(head))).toEqual({ ...head, root: Buffer.from(head.root) })
  const empty = { origin, size: 0, root: rootOf(appendLeaves(emptyEdge, []).edge) }
  expect(openCheckpoint(signTreeHead(empty, log), logs)).toMatchObject({ ok: true, head: { size: 0 } })
})

test('[TLOG-4] extension lines below the root are covered by the signature, and ignored', () => {
  const text = `${treeHeadText(head)}one\ntwo\n`
  expect(parseTreeHead(text)).toEqual({ ...head, root: Buffer.from(head.root) })
  const extended = formatNote({ text, signatures: [signText(text, log)] })
  expect(openCheckpoint(extended, logs)).toMatchObject({ ok: true, head: { origin, size: 8 } })
  expect(openCheckpoint(extended.replace('one', 'two'), logs)).toMatchObject({ ok: false })
})

const root = Buffer.from(head.root).toString('base64')
test.each([
  ['nothing', ''],
  ['no root', `${origin}\n8\n`],
  ['no final line feed', `${origin}\n8\n${root}`],
  ['an empty origin', `\n8\n${root}\n`],
  ['a leading zero', `${origin}\n08\n${root}\n`],
  ['a sign', `${origin}\n+8\n${root}\n`],
  ['a negative size', `${origin}\n-8\n${root}\n`],
  ['a fraction', `${origin}\n8.0\n${root}\n`],
  ['an exponent', `${origin}\n1e3\n${root}\n`],
  ['other digits', `${origin}\n٨\n${root}\n`],
  ['a size that is not exact', `${origin}\n9007199254740993\n${root}\n`],
  ['a space', `${origin}\n8 \n${root}\n`],
  ['a short root', `${origin}\n8\n${root.slice(4)}\n`],
  ['a root in base64url', `${origin}\n8\n${root.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}\n`],
  ['an empty extension line', `${origin}\n8\n${root}\n\n`],
  ['an empty log with another root', `${origin}\n0\n${root}\n`],
])('[TLOG-4] a checkpoint with %s is refused', (_, text) => {
  expect(parseTreeHead(text)).toBeUndefined()
})

test('[TLOG-4] what is not a checkpoint is not signed', () => {
  for (const wrong of [
    { size: -1 },
    { size: 1.5 },
    { origin: '' },
    { origin: 'a\nb' },
    { root: emptyRoot.subarray(1) },
  ]) {
    expect(() => signTreeHead({ ...head, ...wrong }, log)).toThrow('not a valid tree head')
  }
})

test('[TLOG-4] a checkpoint needs the signature of the log that it names', () => {
  expect(openCheckpoint(note, logs)).toEqual({ ok: true, head: { ...head, root: Buffer.from(head.root) } })
  const forged = signTreeHead(head, signerFrom(9, origin))
  expect(openCheckpoint(forged, logs)).toMatchObject({ ok: false })
  // Another trusted log signs a checkpoint in the name of the first.
  const second = signerFrom(10, 'assent.example/other')
  const both = [log.key, second.key]
  const impostor = signTreeHead(head, second)
  expect(openCheckpoint(impostor, both)).toEqual({
    ok: false,
    problem: `The checkpoint has no signature of the log ${origin}.`,
  })
  expect(openCheckpoint(signTreeHead({ ...head, origin: second.key.name }, second), both)).toMatchObject({ ok: true })
  // A note that is no checkpoint is refused although the log signed it.
  const text = 'something else\n'
  const signed = formatNote({ text, signatures: [signText(text, log)] })
  expect(openCheckpoint(signed, logs)).toEqual({ ok: false, problem: 'The note is not a checkpoint.' })
})

test('[TLOG-12] a checkpoint is signed by every given key, up to the limit of a note', () => {
  const keys = [...Array(65).keys()].map((seed) => signerFrom(seed, origin))
  const signed = signTreeHead(head, ...keys.slice(0, 64))
  for (const { key } of keys.slice(0, 64)) expect(openCheckpoint(signed, [key]).ok).toBe(true)
  expect(() => signTreeHead(head, ...keys)).toThrow('between 1 and 64 signatures')
  expect(() => signTreeHead(head)).toThrow('between 1 and 64 signatures')
})

const hashes = naivePath(5, leaves)
const leaf = leaves[5] ?? emptyRoot
const proof = { index: 5, hashes, checkpoint: note }

test('[TLOG-2] a proof file is read back, and verifies the entry offline', () => {
  const text = formatLogProof(proof)
  expect(text.startsWith(`c2sp.org/tlog-proof@v1\nindex 5\n${Buffer.from(hashes[0] ?? '').toString('base64')}\n`)).toBe(
    true,
  )
  expect(parseLogProof(text)).toEqual({ ...proof, hashes: hashes.map((one) => Buffer.from(one)) })
  expect(verifyLogProof(leaf, proof, logs)).toMatchObject({ ok: true, head: { size: 8 } })
  const extra = Buffer.from('more')
  expect(parseLogProof(formatLogProof({ ...proof, extra }))?.extra).toEqual(extra)
  const single = { index: 0, hashes: [], checkpoint: signTreeHead({ ...head, size: 1, root: leaf }, log) }
  expect(parseLogProof(formatLogProof(single))).toEqual(single)
  expect(verifyLogProof(leaf, single, logs)).toMatchObject({ ok: true })
})

test('[TLOG-2] a proof is refused for another entry, another index, and above all without a valid checkpoint', () => {
  expect(verifyLogProof(leaves[4] ?? leaf, proof, logs)).toMatchObject({ ok: false })
  expect(verifyLogProof(leaf, { ...proof, index: 4 }, logs)).toMatchObject({ ok: false })
  expect(verifyLogProof(leaf, { ...proof, index: 8 }, logs)).toMatchObject({ ok: false })
  expect(verifyLogProof(leaf, { ...proof, hashes: hashes.slice(1) }, logs)).toMatchObject({ ok: false })
  // The inclusion is correct in each of these.
  const unsigned = signTreeHead(head, signerFrom(9, origin))
  for (const checkpoint of [unsigned, treeHeadText(head), '']) {
    expect(verifyLogProof(leaf, { ...proof, checkpoint }, logs)).toMatchObject({ ok: false })
  }
})

const valid = formatLogProof({ ...proof, extra: Buffer.from('more') })
test.each([
  ['another first line', valid.replace('@v1', '@v2')],
  ['no index', valid.replace(/index 5\n/, '')],
  ['an index with a leading zero', valid.replace('index 5', 'index 05')],
  ['extra data after the index', valid.replace(/(extra .*\n)(index 5\n)/, '$2$1')],
  ['extra data twice', valid.replace(/(extra .*\n)/, '$1$1')],
  ['extra data that is not base64', valid.replace('extra bW9yZQ==', 'extra bW9yZQ')],
  ['a short hash', valid.replace(/\n[^\n]{44}\n\n/, '\nAAAA\n\n')],
  ['no empty line', valid.replace('\n\n', '\n')],
  ['its first line only', valid.replace(/(@v1)\n[\s\S]*?\n\n/, '$1\n\n')],
  ['too many hashes', formatLogProof({ ...proof, hashes: Array(64).fill(leaf) })],
  ['too much extra data', formatLogProof({ ...proof, extra: new Uint8Array(65_537) })],
])('[TLOG-2] a proof file with %s is refused', (_, text) => {
  const parsed = parseLogProof(text)
  expect(parsed === undefined || !verifyLogProof(leaf, parsed, logs).ok).toBe(true)
})

test('[TLOG-2] a proof file that is too long is not read', () => {
  const longest = logLimits.noteBytes + 2 * logLimits.proofExtraBytes + 8_192
  expect(parseLogProof(valid.padEnd(longest, '\n'))).toBeDefined()
  expect(parseLogProof(valid.padEnd(longest + 1, '\n'))).toBeUndefined()
})

test('[TLOG-2] a proof file with any one byte changed proves nothing else', () => {
  const bytes = Buffer.from(formatLogProof(proof))
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ change
      const parsed = parseLogProof(changed)
      const verdict = parsed === undefined ? { ok: false } : verifyLogProof(leaf, parsed, logs)
      expect(verdict.ok).toBe(false)
    }),
  )
})
