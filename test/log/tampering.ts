// Ways to tamper with an exported log. Some are done by a person who can write files, others by one who also has the
// log's key; the older checkpoint and the keys of the verifier are out of reach of both.
import { encodeBundle } from '../../packages/core/src/log/bundle.ts'
import type { Evidence } from './both-verifiers.ts'
import {
  checkpointOf,
  entryOf,
  exportOf,
  type Files,
  logSigner,
  origin,
  otherLog,
  rootAbove,
  signedText,
  signerFrom,
  someEntries,
  tilesAbove,
} from './sample-log.ts'

/** An export with everything that a verifier compares it with. */
export type SampleLog = Required<Evidence>

export type Tampering = readonly [what: string, tamper: (sample: SampleLog) => Partial<SampleLog>]

export const entries = someEntries(600)
export const olderSize = 300
const [bundle0, bundle1, bundle2] = ['tile/entries/000', 'tile/entries/001', 'tile/entries/002.p/88'] as const
const [tile0, tile1, tile2, upper] = ['tile/0/000', 'tile/0/001', 'tile/0/002.p/88', 'tile/1/000.p/2'] as const

/** One file replaced, or removed if the new content is undefined. */
function withFile(
  path: string,
  change: (bytes: Buffer, files: Files) => Uint8Array | string | undefined,
): Tampering[1] {
  return ({ files }) => {
    const changed = new Map(files)
    const before = files.get(path)
    if (before === undefined) throw new Error(`The sample has no file ${path}.`)
    const content = change(Buffer.from(before), files)
    if (content === undefined) changed.delete(path)
    else changed.set(path, Buffer.from(content))
    return { files: changed }
  }
}

const withCheckpoint = (change: (note: string) => string) => withFile('checkpoint', (bytes) => change(bytes.toString()))
const line = (note: string, at: number) => note.split('\n')[at] ?? ''

/** Other entries, with all tiles computed again and signed by a person who has the log's key. */
function signedAgain(change: (list: Uint8Array[]) => Uint8Array[]): Tampering[1] {
  return () => ({ files: exportOf(change([...entries])) })
}

/** Tiles computed again from other entries below the checkpoint that was signed before. */
function withoutSigning(change: (list: Uint8Array[]) => Uint8Array[]): Tampering[1] {
  return ({ files }) => ({
    files: tilesAbove(change([...entries])).set('checkpoint', files.get('checkpoint') ?? new Uint8Array(0)),
  })
}

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return bytes
}

function withOtherSignature(note: string): string {
  return note.replace(/(acme .{20})(.)/, (_, before, digit) => before + (digit === 'A' ? 'B' : 'A'))
}

function swapped(list: Uint8Array[], one: number, other: number): Uint8Array[] {
  const [a, b] = [list[one], list[other]]
  if (a === undefined || b === undefined) throw new Error('The sample is too short.')
  return list.with(one, b).with(other, a)
}

const laterNote = entryOf('relay', 0, 'note', 'forged')
const forged = entryOf('ask_0', 1, 'ask.raised', 'forged')
const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

const checkpoints: readonly Tampering[] = [
  ['no checkpoint', withFile('checkpoint', () => undefined)],
  ['an empty checkpoint', withCheckpoint(() => '')],
  ['another size', withCheckpoint((note) => note.replace('\n600\n', '\n599\n'))],
  ['another root', withCheckpoint((note) => note.replace(line(note, 2), Buffer.alloc(32, 1).toString('base64')))],
  ['another origin', withCheckpoint((note) => note.replace(`${origin}\n`, 'assent.example/acme2\n'))],
  ['no signatures', withCheckpoint((note) => note.replace(/— .*\n/g, ''))],
  ['a changed signature', withCheckpoint(withOtherSignature)],
  [
    'a signature of a forged key with the name of the log',
    () => ({ files: exportOf(entries, { signer: signerFrom(9, origin) }) }),
  ],
  [
    'a signature of a forged key with name and id of the log',
    () => {
      const note = checkpointOf(entries, { signer: signerFrom(9, origin) })
      const withId = note.replace(/(acme )(\S+)/, (_, name, code) => {
        const signature = Buffer.from(code, 'base64').subarray(4)
        return name + Buffer.concat([Buffer.from(logSigner.key.id, 'hex'), signature]).toString('base64')
      })
      return { files: tilesAbove(entries).set('checkpoint', Buffer.from(withId)) }
    },
  ],
  ['the origin of the log under the key of another log', () => ({ files: exportOf(entries, { signer: otherLog }) })],
  [
    'a checkpoint of another log',
    withCheckpoint(() => checkpointOf(someEntries(601).slice(1), { signer: otherLog, origin: otherLog.key.name })),
  ],
  ['the older checkpoint', ({ files, older }) => ({ files: new Map(files).set('checkpoint', Buffer.from(older)) })],
  ['carriage returns', withCheckpoint((note) => note.replaceAll('\n', '\r\n'))],
  ['a byte order mark', withCheckpoint((note) => `\ufeff${note}`)],
  ['a line after the signatures', withCheckpoint((note) => `${note}more\n`)],
  ['no last line feed', withCheckpoint((note) => note.slice(0, -1))],
  ['a signature in another spelling', withCheckpoint((note) => note.replace(/=\n$/, '\n'))],
  [
    'a signature with other unused bits',
    withCheckpoint((note) =>
      note.replace(/.=\n$/, ([last = '']) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=\n`),
    ),
  ],
  ['bytes that are not UTF-8', withFile('checkpoint', (bytes) => Buffer.concat([bytes, Buffer.from([0xff, 0x0a])]))],
  ['a signed size with a leading zero', () => signedAs(`${origin}\n0600\n${rootText()}\n`)],
  ['a signed size that is too large', () => signedAs(`${origin}\n601\n${rootText()}\n`)],
  ['a signed size that is too small', () => signedAs(`${origin}\n599\n${rootText()}\n`)],
  ['a signed size beyond 2^53', () => signedAs(`${origin}\n9007199254740993\n${rootText()}\n`)],
  ['a signed root of 31 bytes', () => signedAs(`${origin}\n600\n${Buffer.alloc(31).toString('base64')}\n`)],
  ['a signed empty log with another root', () => signedAs(`${origin}\n0\n${rootText()}\n`)],
  ['a signed empty log', () => ({ files: exportOf([]) })],
  ['a signed text that is not a checkpoint', () => signedAs('something else\n')],
]

const rootText = () => Buffer.from(rootAbove(entries)).toString('base64')
const signedAs = (note: string) => ({ files: tilesAbove(entries).set('checkpoint', Buffer.from(signedText(note))) })

const files: readonly Tampering[] = [
  ['a changed byte in an entry', withFile(bundle1, (bytes) => flipped(bytes, 100))],
  [
    'a changed digit of a time',
    withFile(bundle0, (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('1794700000001', '1794700000002'), 'latin1'),
    ),
  ],
  ['an entry replaced by a forged one', withFile(bundle0, () => encodeBundle([forged, ...entries.slice(1, 256)]))],
  ['a forged entry with all tiles computed again', withoutSigning((list) => list.with(0, forged))],
  ['two entries swapped', withFile(bundle0, () => encodeBundle(swapped([...entries], 9, 10).slice(0, 256)))],
  ['two entries swapped with all tiles computed again', withoutSigning((list) => swapped(list, 9, 10))],
  ['an entry removed', withFile(bundle0, () => encodeBundle(entries.slice(1, 256)))],
  ['an entry removed from the middle with all tiles computed again', withoutSigning((list) => list.toSpliced(40, 1))],
  [
    'an entry moved to the end with all tiles computed again',
    withoutSigning((list) => [...list.toSpliced(9, 1), ...list.slice(9, 10)]),
  ],
  ['an entry added', withFile(bundle2, () => encodeBundle([...entries.slice(512), forged]))],
  ['the end cut off with all tiles computed again', withoutSigning((list) => list.slice(0, 550))],
  ['a bundle cut off within an entry', withFile(bundle2, (bytes) => bytes.subarray(0, -7))],
  [
    'a bundle cut off within a length',
    withFile(bundle2, (bytes) => bytes.subarray(0, -1 - (entries.at(-1)?.length ?? 0))),
  ],
  ['a byte after the entries', withFile(bundle2, (bytes) => Buffer.concat([bytes, Buffer.from([0])]))],
  ['an empty entry after the entries', withFile(bundle0, (bytes) => Buffer.concat([bytes, Buffer.from([0, 0])]))],
  [
    'a bundle longer than 256 entries can be',
    withFile(bundle0, (bytes) => Buffer.concat([bytes, Buffer.alloc(256 * (2 + 512))])),
  ],
  ['a changed length', withFile(bundle0, (bytes) => flipped(bytes, 1))],
  ['two bundles swapped', ({ files: all }) => ({ files: exchanged(all, bundle0, bundle1) })],
  [
    'two bundles and their tiles swapped',
    ({ files: all }) => ({ files: exchanged(exchanged(all, bundle0, bundle1), tile0, tile1) }),
  ],
  ['a missing bundle', withFile(bundle1, () => undefined)],
  ['a missing partial bundle', withFile(bundle2, () => undefined)],
  [
    'a partial bundle under the name of a full one',
    ({ files: all }) => ({ files: renamed(all, bundle2, 'tile/entries/002') }),
  ],
  ['a stale partial bundle', withFile(bundle2, () => encodeBundle(entries.slice(512, 590)))],
  [
    'a stale partial bundle of an older size, in its place',
    ({ files: all }) => ({ files: renamed(all, bundle2, 'tile/entries/002.p/78') }),
  ],
  ['an empty bundle', withFile(bundle0, () => '')],
  ['a changed hash in a tile', withFile(tile0, (bytes) => flipped(bytes, 40))],
  ['a changed hash in a partial tile', withFile(tile2, (bytes) => flipped(bytes, 87 * 32))],
  ['a changed hash in an upper tile', withFile(upper, (bytes) => flipped(bytes, 33))],
  ['a missing tile', withFile(tile1, () => undefined)],
  ['a missing partial tile', withFile(tile2, () => undefined)],
  ['a missing upper tile', withFile(upper, () => undefined)],
  ['a stale partial tile', withFile(tile2, (bytes) => bytes.subarray(0, 78 * 32))],
  ['a stale upper tile', withFile(upper, (bytes) => bytes.subarray(0, 32))],
  ['a partial tile with a hash too many', withFile(tile2, (bytes) => Buffer.concat([bytes, Buffer.alloc(32)]))],
  ['a tile with a byte too many', withFile(tile0, (bytes) => Buffer.concat([bytes, Buffer.from([0])]))],
  ['an empty tile', withFile(tile0, () => '')],
  ['two tiles swapped', ({ files: all }) => ({ files: exchanged(all, tile0, tile1) })],
  ['a tile in place of a bundle', withFile(bundle0, (_, all) => all.get(tile0))],
]

const signed: readonly Tampering[] = [
  [
    'a rewritten last entry below the signed checkpoint, with an older checkpoint that covers nothing',
    (sample) => ({ ...withoutSigning((list) => list.with(592, laterNote))(sample), older: checkpointOf([]) }),
  ],
  ['a cut-off log that was signed again', signedAgain((list) => list.slice(0, 299))],
  ['a log that was cut off at a full tile and signed again', signedAgain((list) => list.slice(0, 256))],
  ['a rewritten first entry that was signed again', signedAgain((list) => list.with(0, forged))],
  [
    'a rewritten entry that was signed again',
    signedAgain((list) => list.with(9, entryOf('relay', 0, 'note', 'forged'))),
  ],
  [
    'a fork of the same size as the older checkpoint',
    signedAgain((list) => list.slice(0, olderSize).with(9, entryOf('relay', 0, 'note', 'other'))),
  ],
  [
    'a completely different log',
    signedAgain(() =>
      someEntries(700)
        .slice(11)
        .filter((_, at) => at < 650),
    ),
  ],
  ['two covered entries that were swapped and signed again', signedAgain((list) => swapped(list, 9, 10))],
  ['an entry twice, at the end', signedAgain((list) => [...list, list[594] ?? forged])],
  ['a note twice', signedAgain((list) => [...list, list[9] ?? forged])],
  ['a missing entry of an ask', signedAgain((list) => list.toSpliced(555, 1))],
  ['an ask that begins with its second entry', signedAgain((list) => [...list, entryOf('ask_new', 2, 'ask.voted')])],
  [
    'entries of an ask in another order',
    signedAgain((list) => [...list, entryOf('ask_new', 2, 'ask.voted'), entryOf('ask_new', 1, 'ask.raised')]),
  ],
  ['an entry that is not a leaf', signedAgain((list) => [...list, Buffer.from('{"kind":"ask.settled"}')])],
  ['an empty entry', signedAgain((list) => [...list, new Uint8Array(0)])],
  [
    'a leaf in another spelling',
    signedAgain((list) => [...list, Buffer.from(text(entryOf('ask_new', 1, 'ask.raised')).replace('\n1\n', '\n01\n'))]),
  ],
  [
    'a leaf of another version',
    signedAgain((list) => [...list, Buffer.from(text(forged).replace('v1', 'v2').replace('ask_0', 'ask_new'))]),
  ],
  [
    'a leaf with a further line',
    signedAgain((list) => [...list, Buffer.from(`${text(entryOf('ask_new', 1, 'ask.raised'))}x\n`)]),
  ],
  [
    'a leaf with an upper-case digest',
    signedAgain((list) => [
      ...list,
      Buffer.from(text(entryOf('ask_new', 1, 'ask.raised')).replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase())),
    ]),
  ],
  [
    'a leaf of 513 bytes',
    signedAgain((list) => [...list, Buffer.from(text(entryOf('ask_new', 1, 'ask.raised')).padEnd(513, 'x'))]),
  ],
]

const older: readonly Tampering[] = [
  [
    'an older checkpoint with another root',
    ({ older: note }) => ({ older: note.replace(line(note, 2), Buffer.alloc(32, 1).toString('base64')) }),
  ],
  [
    'an older checkpoint of a forged key',
    () => ({ older: checkpointOf(entries.slice(0, 300), { signer: signerFrom(9, origin) }) }),
  ],
  [
    'an older checkpoint of another log',
    () => ({ older: checkpointOf(entries.slice(0, 300), { signer: otherLog, origin: otherLog.key.name }) }),
  ],
  ['an older checkpoint that is larger than the log', () => ({ older: checkpointOf(someEntries(601)) })],
  ['an older checkpoint of a fork', () => ({ older: checkpointOf(entries.slice(0, 300).with(0, forged)) })],
  ['an older checkpoint of the same size with another root', () => ({ older: checkpointOf(entries.with(0, forged)) })],
  ['an older checkpoint with an invalid signature', ({ older: note }) => ({ older: withOtherSignature(note) })],
  ['an empty older checkpoint', () => ({ older: '' })],
]

export const tamperings: readonly Tampering[] = [...checkpoints, ...files, ...signed, ...older]

function exchanged(all: Files, one: string, other: string): Files {
  const [a, b] = [all.get(one) ?? new Uint8Array(0), all.get(other) ?? new Uint8Array(0)]
  return new Map(all).set(one, b).set(other, a)
}

function renamed(all: Files, from: string, to: string): Files {
  const changed = new Map(all).set(to, all.get(from) ?? new Uint8Array(0))
  changed.delete(from)
  return changed
}
