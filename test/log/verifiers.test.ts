// The verifier in core and the independent one in Python accept the same logs, and refuse every kind of tampering.
import { hash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeLeaf, isBodyOf, parseLeaf, saltedDigest } from '../../packages/core/src/log/leaf.ts'
import { leafHash } from '../../packages/core/src/log/merkle.ts'
import { formatLogProof, parseLogProof, verifyLogProof } from '../../packages/core/src/log/proof-file.ts'
import { tilePath } from '../../packages/core/src/log/tile.ts'
import { inclusionProof, type ReadTile } from '../../packages/core/src/log/tile-proofs.ts'
import { verifyLogExport } from '../../packages/core/src/log/verify-export.ts'
import { removeFolder } from '../../test-kit/remove-folder.ts'
import { runPython, type Verdicts, verdictsOn, writeUnder } from './both-verifiers.ts'
import { checkpointOf, exportOf, keys, logSigner, someEntries } from './sample-log.ts'
import { entries, olderSize, type SampleLog, tamperings } from './tampering.ts'

const folder = mkdtempSync(join(tmpdir(), 'assent-log-'))
afterAll(() => removeFolder(folder))

const untouched: SampleLog = { files: exportOf(entries), older: checkpointOf(entries.slice(0, olderSize)), keys }
const refused = { core: expect.stringMatching(/^not verified: ./), python: expect.stringMatching(/^not verified: ./) }

test('[TLOG-6] both verifiers accept unchanged logs of any size, alone and with an older checkpoint', async () => {
  const sizes = [1, 2, 255, 256, 257, 511, 512, 600, 20_000]
  const cases = sizes.flatMap((size) => {
    const list = someEntries(size)
    const files = exportOf(list)
    const before = [...new Set([0, 1, Math.floor(size / 2), size])].filter((one) => one <= size && size < 20_000)
    const older = before.map((one) => checkpointOf(list.slice(0, one)))
    return [{ files, keys }, ...older.map((note) => ({ files, keys, older: note }))]
  })
  const verdicts = await verdictsOn(join(folder, 'sizes'), cases)
  const accepted = verdicts.map(({ core, python }, at) => [core === python && core.startsWith('verified: '), at])
  expect(accepted).toEqual(cases.map((_, at) => [true, at]))
  expect(verdicts.at(-1)?.python).toBe('verified: 20000 entries')
})

test('[TLOG-6] both verifiers accept the log that is tampered with below, and signatures of unknown keys', async () => {
  const unknown = `${checkpointOf(entries)}— elsewhere.example AAAAAAAA\n`
  const verdicts = await verdictsOn(join(folder, 'accepted'), [
    untouched,
    { ...untouched, files: new Map(untouched.files).set('checkpoint', Buffer.from(unknown)) },
  ])
  const line = 'verified: 600 entries'
  expect(verdicts).toEqual([line, line].map(() => ({ core: line, python: line })))
})

test('[TLOG-6] both verifiers refuse an empty log, which is never exported', async () => {
  const [verdict] = await verdictsOn(join(folder, 'empty'), [{ files: exportOf([]), keys }])
  expect(verdict).toEqual({ core: expect.stringContaining('log is empty'), python: 'not verified: the log is empty' })
})

describe('tampering', () => {
  let verdicts: Verdicts[] = []
  beforeAll(async () => {
    const cases = tamperings.map(([, tamper]) => ({ ...untouched, ...tamper(untouched) }))
    verdicts = await verdictsOn(join(folder, 'tampering'), cases)
  })

  test('[TLOG-6] there are at least 90 different kinds of tampering', () => {
    expect(new Set(tamperings.map(([what]) => what)).size).toBe(tamperings.length)
    expect(tamperings.length).toBeGreaterThanOrEqual(90)
  })

  test.each(tamperings.map(([what], at) => [what, at] as const))('[TLOG-6] both verifiers refuse %s', (_, at) => {
    expect(verdicts[at]).toEqual(refused)
  })
})

test('[TLOG-6] both verifiers refuse an export with any one byte changed', async () => {
  const place = fc.tuple(fc.constantFrom(...untouched.files.keys()), fc.nat(), fc.integer({ min: 1, max: 255 }))
  const places = fc.sample(place, 100)
  const cases = places.map(([path, at, change]) => {
    const bytes = Buffer.from(untouched.files.get(path) ?? [])
    bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ change
    return { ...untouched, files: new Map(untouched.files).set(path, bytes) }
  })
  const verdicts = await verdictsOn(join(folder, 'bytes'), cases)
  const accepted = places.filter((_, at) => !/^not.*not/s.test(`${verdicts[at]?.core}\n${verdicts[at]?.python}`))
  expect(accepted).toEqual([])
})

test('[TLOG-6] an export from which a tile disappears while it is verified is refused', async () => {
  const read = new Set<string>()
  const once = (path: string) => {
    const isGone = read.has(path)
    read.add(path)
    return Promise.resolve(isGone ? undefined : untouched.files.get(path))
  }
  const verdict = await verifyLogExport(once, [logSigner.key], untouched.older)
  expect(verdict).toEqual({ ok: false, problem: expect.stringMatching(/^The tile tile\/\S+ is missing\.$/) })
})

const [key = ''] = keys.split('\n')
const keyFiles: readonly [what: string, text: string][] = [
  ['no key', '\n'],
  ['a key of another type', `${key}\n${keyOfType4()}\n`],
  ['a key with another id', key.replace(/\+[0-9a-f]{8}/, '+00000000')],
  ['a key in another spelling', `${key}=`],
  ['two keys on a line', `${key} ${key}\n`],
  ['another line', `${key}\nother\n`],
]

/** Its id fits, so only the type is wrong. */
function keyOfType4(): string {
  const { name, publicKey } = logSigner.key
  const bytes = Buffer.from([4, ...publicKey])
  const id = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), bytes])).slice(0, 8)
  return `${name}+${id}+${bytes.toString('base64')}`
}

test('[TLOG-6] both verifiers refuse keys that are not valid, before they read the export', async () => {
  const cases = keyFiles.map(([, text]) => ({ files: new Map<string, Uint8Array>(), keys: text }))
  const verdicts = await verdictsOn(join(folder, 'keys'), cases)
  expect(verdicts).toEqual(keyFiles.map(() => refused))
  expect(verdicts.filter(({ core, python }) => `${core}${python}`.includes('checkpoint'))).toEqual([])
})

test('[TLOG-6] both verifiers accept a proof of one entry, and refuse it for another entry or without its checkpoint', async () => {
  const read: ReadTile = (tile) => Promise.resolve(untouched.files.get(tilePath(tile)))
  const cases: [text: string, leaf: Uint8Array, isValid: boolean][] = []
  for (const index of [0, 255, 256, 599]) {
    const found = await inclusionProof(index, entries.length, read)
    if (!found.ok) throw new Error(found.problem)
    const file = formatLogProof({ index, hashes: found.hashes, checkpoint: checkpointOf(entries) })
    const [leaf = Buffer.alloc(0), next = Buffer.alloc(0)] = [entries[index], entries[(index + 1) % 600]]
    cases.push(
      [file, leaf, true],
      [file.replace('\nindex', '\nextra bW9yZQ==\nindex'), leaf, true],
      [file, next, false],
    )
    cases.push(
      ...[
        file.replace(`index ${index}`, `index ${index + 1}`),
        file.replace(/\n.{44}\n/, '\n'),
        file.replace(/— assent.*\n/, ''),
        file.replace('@v1', '@v2'),
      ].map((text): [string, Uint8Array, boolean] => [text, leaf, false]),
    )
  }
  const core = cases.map(([text, leaf]) => {
    const proof = parseLogProof(text)
    return proof !== undefined && verifyLogProof(leafHash(leaf), proof, [logSigner.key]).ok
  })
  const keyFile = writeUnder(folder, 'proofs/keys', keys)
  const lines = runPython(
    cases.map(([text, leaf], at) => {
      const files = ['--keys', keyFile, '--leaf', writeUnder(folder, `proofs/${at}.leaf`, leaf)]
      return ['proof', writeUnder(folder, `proofs/${at}.tlog-proof`, text), ...files]
    }),
  )
  expect(core).toEqual(cases.map(([, , isValid]) => isValid))
  expect(lines.map((line) => line.startsWith('verified: '))).toEqual(cases.map(([, , isValid]) => isValid))
})

test('[TLOG-6] both verifiers accept a body with its salt, and refuse another body or salt', () => {
  const [salt, body] = [Buffer.alloc(16, 5), '{"answer":{"action":"accept","comment":"é"}}']
  const bodyDigest = saltedDigest(salt, body)
  const leaf = encodeLeaf({ subject: 'ask_1', counter: 1, kind: 'ask.settled', atMs: 1, bodyDigest })
  const read = parseLeaf(leaf)
  if (read === undefined) throw new Error('The leaf was not read.')
  const cases = [
    [salt, body],
    [salt, body.replace('accept', 'decline')],
    [Buffer.alloc(16, 6), body],
    [salt.subarray(1), body],
  ] as const
  const leafFile = writeUnder(folder, 'body/leaf', leaf)
  const lines = runPython(
    cases.map(([given, text], at) => {
      const bodyFile = writeUnder(folder, `body/${at}`, text)
      return ['body', '--leaf', leafFile, '--salt', given.toString('hex'), '--body', bodyFile]
    }),
  )
  expect(cases.map(([given, text]) => isBodyOf(read, given, text))).toEqual([true, false, false, false])
  expect(lines.map((line) => line.startsWith('verified: '))).toEqual([true, false, false, false])
})
