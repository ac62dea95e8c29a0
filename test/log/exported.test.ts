// A log that the program exported from SQLite and PostgreSQL: both verifiers accept it, and refuse it after any tampering.
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifierKey } from '@assent/core'
import { describe, expect, test } from 'vitest'
import { assentHere } from '../../packages/gateway/src/program/process.suite.ts'
import { runPython } from './both-verifiers.ts'
import {
  accepted,
  anAsk,
  type Exports,
  exported,
  notes,
  postgresLog,
  refused,
  sqliteIn,
  sqliteLog,
  tenant,
  twoExports,
  verdicts,
} from './exported-log.ts'
import { exportOf, logSigner, signedText, someEntries } from './sample-log.ts'

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
    .toSorted()
}

function changed(path: string, change: (bytes: Buffer) => Uint8Array | string): void {
  writeFileSync(path, change(readFileSync(path)))
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

/** By something else, which this command makes. */
function replaced(path: string, command: string, ...args: readonly string[]): void {
  rmSync(path)
  execFileSync(command, [...args, path])
}

const exchanged = (folder: string, one: string, other: string) => {
  const [a, b] = [one, other].map((path) => readFileSync(join(folder, path)))
  writeFileSync(join(folder, one), b ?? '')
  writeFileSync(join(folder, other), a ?? '')
}

const tamperings: readonly [what: string, tamper: (folder: string, exports: Exports) => void][] = [
  ['without a checkpoint', (folder) => rmSync(join(folder, 'checkpoint'))],
  ['with a truncated bundle', (folder) => changed(join(folder, 'tile/entries/001'), (bytes) => bytes.subarray(0, 900))],
  [
    'with a rewritten entry',
    (folder) => changed(join(folder, 'tile/entries/000'), (bytes) => flipped(bytes, bytes.length - 10)),
  ],
  ['with two bundles swapped', (folder) => exchanged(folder, 'tile/entries/000', 'tile/entries/001')],
  ['with two tiles swapped', (folder) => exchanged(folder, 'tile/0/000', 'tile/0/001')],
  ['with a changed tile', (folder) => changed(join(folder, 'tile/1/000.p/2'), (bytes) => flipped(bytes, 3))],
  ['without a tile', (folder) => rmSync(join(folder, 'tile/0/001'))],
  ['without the last tile', (folder) => rmSync(join(folder, 'tile/0/002.p/88'))],
  ['with a named pipe in place of a tile', (folder) => replaced(join(folder, 'tile/0/000'), 'mkfifo')],
  ['with a named pipe in place of a bundle', (folder) => replaced(join(folder, 'tile/entries/001'), 'mkfifo')],
  ['with a named pipe in place of its checkpoint', (folder) => replaced(join(folder, 'checkpoint'), 'mkfifo')],
  [
    'with a bundle that is a link to a device',
    (folder) => replaced(join(folder, 'tile/entries/001'), 'ln', '-s', '/dev/zero'),
  ],
  ['with a folder in place of a tile', (folder) => replaced(join(folder, 'tile/0/001'), 'mkdir')],
  ['without a bundle', (folder) => rmSync(join(folder, 'tile/entries/001'))],
  ['without the last bundle', (folder) => rmSync(join(folder, 'tile/entries/002.p/88'))],
  [
    'with another size in the checkpoint',
    (folder) => changed(join(folder, 'checkpoint'), (note) => note.toString().replace('\n600\n', '\n599\n')),
  ],
  [
    'with a checkpoint of another key',
    (folder) =>
      changed(join(folder, 'checkpoint'), (note) => {
        const [body = ''] = note.toString().split('\n\n')
        return signedText(`${body}\n`)
      }),
  ],
  [
    'replaced by another log',
    (folder) => {
      rmSync(folder, { recursive: true })
      for (const [path, bytes] of exportOf(someEntries(600))) {
        mkdirSync(join(folder, path, '..'), { recursive: true })
        writeFileSync(join(folder, path), bytes)
      }
    },
  ],
  [
    'with the checkpoint of the first export and the files of the second, without its own partial tile',
    (folder, { first }) => {
      copyFileSync(join(first, 'checkpoint'), join(folder, 'checkpoint'))
      rmSync(join(folder, 'tile/0/001.p/44'))
    },
  ],
]

describe.each([
  ['SQLite', sqliteLog],
  ['PostgreSQL', postgresLog],
] as const)('exported from %s', (_, open) => {
  test('[TLOG-20] [TLOG-21] both verifiers accept the export, alone, after it has grown, and with an older checkpoint', async () => {
    const exports = await twoExports(open)
    const { first, second, log, file } = exports
    expect(await verdicts(exports, first)).toEqual(accepted)
    expect(await verdicts(exports, second)).toEqual(accepted)
    expect(await verdicts(exports, second, join(first, 'checkpoint'))).toEqual(accepted)
    const plain = await assentHere(['audit', 'verify', '--log', second, '--key', file('keys')])
    expect(plain.out).toMatch(
      /^ok The exported log assent\/[0-9a-f]{16}\/default is signed and consistent: 600 entries\. Not compared/,
    )
    // The second export added files and changed only the checkpoint.
    const before = filesIn(first)
    expect(filesIn(second)).toEqual(expect.arrayContaining(before))
    for (const path of before.filter((one) => one !== 'checkpoint')) {
      expect(readFileSync(join(second, path)).equals(readFileSync(join(first, path)))).toBe(true)
    }
    expect(filesIn(second).filter((path) => path.startsWith('.'))).toEqual([])
    expect(await exported(log.config, second)).toMatchObject({
      code: 0,
      err: expect.stringContaining('Exported 0 new entries'),
    })
    expect((await exported(log.config, file('whole'))).code).toBe(0)
    expect(filesIn(second)).toEqual(expect.arrayContaining(filesIn(file('whole'))))
  })

  test('[TLOG-21] both verifiers refuse a tampered export', async () => {
    const exports = await twoExports(open)
    const results: Record<string, unknown> = {}
    for (const [at, [what, tamper]] of tamperings.entries()) {
      const folder = exports.file(`tampered-${at}`)
      cpSync(exports.second, folder, { recursive: true })
      tamper(folder, exports)
      results[what] = await verdicts(exports, folder)
    }
    expect(results).toEqual(Object.fromEntries(tamperings.map(([what]) => [what, refused])))
    // A log that was cut off is valid by itself: the newer checkpoint shows it.
    expect(await verdicts(exports, exports.first, join(exports.second, 'checkpoint'))).toEqual(refused)
  })
})

test('[TLOG-20] [TLOG-21] a forked log is refused by both verifiers, and is not exported over the other one', async () => {
  const exports = await twoExports(sqliteLog)
  const { log, file, second } = exports
  copyFileSync(file('assent.db'), file('fork.db'))
  const fork = sqliteIn(log.folder, 'fork.db')
  await log.fill(notes(5, 'third'))
  await fork.fill(notes(7, 'other third'))
  expect(await exported(log.config, second)).toMatchObject({ code: 0 })
  expect(await exported(fork.config, file('forked'))).toMatchObject({ code: 0 })
  // Each is valid by itself.
  expect(await verdicts(exports, file('forked'))).toEqual(accepted)
  expect(await verdicts(exports, file('forked'), join(second, 'checkpoint'))).toEqual(refused)

  const contents = () => filesIn(second).map((path) => [path, readFileSync(join(second, path)).toString('hex')])
  const before = contents()
  expect(await exported(fork.config, second)).toMatchObject({
    code: 1,
    err: expect.stringContaining('The first 605 entries are not those of the older checkpoint.'),
  })
  expect(contents()).toEqual(before)
})

test('[TLOG-20] a folder with something else, with another log or with a longer one is not written to', async () => {
  const { log, file, second } = await twoExports(sqliteLog)
  mkdirSync(file('used'))
  writeFileSync(file('used/notes.txt'), 'x')
  expect(await exported(log.config, file('used'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('Choose an empty folder'),
  })
  expect(filesIn(file('used'))).toEqual(['notes.txt'])

  const other = await sqliteLog()
  await other.fill(notes(3, 'other'))
  expect(await exported(other.config, second)).toMatchObject({
    code: 1,
    err: expect.stringContaining('not one of this audit log'),
  })
  writeFileSync(join(second, 'checkpoint'), 'forged')
  expect(await exported(log.config, second)).toMatchObject({ code: 1, err: expect.stringContaining('signed note') })
})

test('[TLOG-20] an empty log is not exported, and --log does not go with options of the other export', async () => {
  const log = await sqliteLog()
  const folder = join(log.folder, 'log')
  expect(await exported(log.config, folder)).toMatchObject({ code: 1, err: expect.stringContaining('no checkpoint') })
  expect((await exported(log.config, folder, '--since', '7d')).code).toBe(2)
  expect((await assentHere(['audit', 'export', '-c', log.config, '--key', 'x'])).code).toBe(2)
})

test('[TLOG-20] an export that was interrupted before its checkpoint is continued', async () => {
  const exports = await twoExports(sqliteLog)
  const { log, file, second } = exports
  const folder = file('interrupted')
  cpSync(second, folder, { recursive: true })
  rmSync(join(folder, 'checkpoint'))
  rmSync(join(folder, 'tile/0/001'))
  writeFileSync(join(folder, 'tile/entries/001'), 'half')
  writeFileSync(join(folder, `.${'0'.repeat(12)}.new`), 'half')
  expect(await verdicts(exports, folder)).toEqual(refused)
  expect(await exported(log.config, folder)).toMatchObject({ code: 0 })
  expect(await verdicts(exports, folder)).toEqual(accepted)
})

test('[TLOG-20] the export has no questions and no answers, and other accounts may read it', async () => {
  const { log, second } = await twoExports(sqliteLog)
  await log.fill((store) => store.audit.append(tenant, [{ subject: 'relay', body: { text: 'secret-canary' } }]))
  await exported(log.config, second)
  const all = filesIn(second).map((path) => readFileSync(join(second, path), 'latin1'))
  expect(all.join('')).not.toMatch(/secret-canary|"word"|decline/)
  const umask = process.umask()
  const modes = filesIn(second).map((path) => statSync(join(second, path)).mode & 0o777)
  expect(new Set(modes)).toEqual(new Set([0o644 & ~umask]))
})

test('[TLOG-21] without a trusted key nothing is verified, and the keys in the folder are not trusted', async () => {
  const { second, file, log } = await twoExports(sqliteLog)
  const verify = (...more: string[]) => assentHere(['audit', 'verify', '--log', second, ...more])
  expect(await verify()).toMatchObject({ code: 2, err: expect.stringContaining('--key') })
  writeFileSync(file('other.keys'), `${verifierKey(logSigner.key)}\n`)
  expect(await verify('--key', file('other.keys'))).toMatchObject({ code: 1 })
  expect(await verify('--key', file('keys'), '--config', log.config)).toMatchObject({ code: 2 })
  writeFileSync(file('bad.keys'), `${readFileSync(file('keys'), 'utf8')}other\n`)
  expect(await verify('--key', file('bad.keys'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('does not contain keys of an audit log'),
  })
  const report = JSON.parse((await verify('--key', file('keys'), '--json')).out)
  expect(report).toMatchObject({ ok: true, entries: 600, checkpoints: 0 })
})

test('[TLOG-21] the entries of a proof are looked up in the export', async () => {
  const { second, first, file, log } = await twoExports(sqliteLog)
  const verify = (folder: string, proof = file('proof.json')) =>
    assentHere(['audit', 'verify', '--log', folder, '--key', file('keys'), '--proof', proof])
  expect((await verify(second)).out).toContain('entries 1, 2.')
  await log.fill(anAsk(file('later.json')))
  expect(await verify(first, file('later.json'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('Entry 601 of the proof is not in the audit log'),
  })
})

async function verifyLines({ file, second }: Pick<Exports, 'file' | 'second'>, given: readonly string[]) {
  writeFileSync(file('lines'), given.map((line) => `${line}\n`).join(''))
  const words = ['audit', 'verify', '--log', second, '--key', file('keys'), '--entries', file('lines')]
  const ours = await assentHere(words)
  const [python] = runPython([['entries', second, '--keys', file('keys'), '--entries', file('lines')]])
  return { code: ours.code, said: ours.out + ours.err, python }
}

test('[TLOG-22] an export made after texts were erased is accepted by both verifiers', async () => {
  const exports = await twoExports(sqliteLog)
  const { log, second } = exports
  await log.fill(async (store) => {
    await store.audit.append(tenant, [{ subject: 'relay', body: { passed: [{ principal: 'ann' }] } }])
    expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ notes: 1 })
  })
  expect(await exported(log.config, second)).toMatchObject({ code: 0 })
  const { out } = await assentHere(['audit', 'export', '-c', log.config])
  expect(await verifyLines(exports, out.trimEnd().split('\n'))).toEqual({
    code: 0,
    said: expect.stringContaining('The texts of 601 entries match it; 1 more were erased.'),
    python: 'verified: 602 entries, 601 texts',
  })
})

test('[TLOG-22] the texts of all entries are compared with the export by both verifiers', async () => {
  const { log, file, second } = await twoExports(sqliteLog)
  const { code, out } = await assentHere(['audit', 'export', '-c', log.config])
  expect(code).toBe(0)
  const lines = out.trimEnd().split('\n')
  const verify = (given: readonly string[]) => verifyLines({ file, second }, given)
  const at = (seq: number, change: (entry: Record<string, unknown>) => object) =>
    lines.map((line) => {
      const entry = JSON.parse(line)
      return entry.seq === seq ? JSON.stringify({ ...entry, ...change(entry) }) : line
    })
  const accepted = { code: 0, said: expect.stringContaining('The texts of 600 entries match it.') }
  expect(await verify(lines)).toEqual({ ...accepted, python: 'verified: 600 entries, 600 texts' })
  // A later export has further entries and recorded calls.
  const later = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), seq: 601 })
  expect(await verify([...lines, later, '{"type":"call"}'])).toMatchObject(accepted)
  expect(await verify(at(7, () => ({ text: null, salt: null, body: null })))).toEqual({
    code: 0,
    said: expect.stringContaining('The texts of 599 entries match it; 1 more were erased.'),
    python: 'verified: 600 entries, 599 texts',
  })
  const salt = 'f'.repeat(32)
  const tampered: readonly (readonly string[])[] = [
    at(7, () => ({ text: '{}' })),
    at(7, ({ text }) => ({ text: `${text} ` })),
    at(7, () => ({ salt })),
    at(7, ({ salt }) => ({ salt: `${salt}00` })),
    at(7, () => ({ text: null })),
    at(7, () => ({ text: undefined })),
    at(7, () => ({ salt: undefined })),
    at(7, () => ({ subject: 'other' })),
    at(7, () => ({ kind: 'ask.raised' })),
    at(7, () => ({ counter: 9 })),
    at(7, () => ({ at: '2026-01-01T00:00:00.000Z' })),
    lines.toSpliced(6, 1),
    lines.slice(0, -1),
    [...lines.slice(1), lines[0] ?? ''],
    lines.with(3, 'x'),
  ]
  for (const given of tampered) {
    expect(await verify(given)).toMatchObject({ code: 1, python: expect.stringContaining('not verified: ') })
  }
  expect(await assentHere(['audit', 'verify', '-c', log.config, '--entries', file('lines')])).toMatchObject({ code: 2 })
})
