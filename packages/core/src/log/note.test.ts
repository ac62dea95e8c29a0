import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signerFrom } from './keys.suite.ts'
import { formatNote, openNote, parseNote } from './note.ts'
import { noteKey, parseVerifierKey, signText, verifierKey } from './note-key.ts'

// The example of c2sp.org/signed-note.
const exampleKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'
const exampleText = 'This is an example message.\n'
const exampleLine =
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n'
const example = `${exampleText}\n${exampleLine}`

const log = signerFrom(7, 'assent.example/acme')
const other = signerFrom(8, 'assent.example/other')
const text = 'assent.example/acme\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n'
const logLine =
  '— assent.example/acme ERX/X1IIKjOgrT4YaVjBlWZh82g8grBO6QzaoBT0LZqnOSCu0qdyXOgB5m4W8/NZJzIAZ8zbHkbvDmuBvrnpyT859A4=\n'

test('[TLOG-3] the published example of a signed note verifies with its published key', () => {
  const key = parseVerifierKey(exampleKey)
  if (key === undefined) throw new Error('The key was not read.')
  expect(verifierKey(key)).toBe(exampleKey)
  expect(openNote(example, [key])).toEqual({ ok: true, text: exampleText, signedBy: [key] })
  expect(openNote(Buffer.from(example), [key]).ok).toBe(true)
  expect(openNote(example.replace('example message', 'Example message'), [key])).toMatchObject({ ok: false })
})

test('[TLOG-3] a signature has the bytes that another implementation computed', () => {
  expect(verifierKey(log.key)).toBe('assent.example/acme+1115ff5f+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs')
  expect(formatNote({ text, signatures: [signText(text, log)] })).toBe(`${text}\n${logLine}`)
  expect(openNote(`${text}\n${logLine}`, [log.key])).toEqual({ ok: true, text, signedBy: [log.key] })
})

test('[TLOG-3] signatures of unknown keys are ignored, and one of a trusted key that is wrong makes the note invalid', () => {
  const [valid, foreign] = [signText(text, log), signText(text, other)]
  const wrong = { ...valid, bytes: foreign.bytes }
  const note = (...signatures: (typeof valid)[]) => formatNote({ text, signatures })

  expect(openNote(note(foreign, valid), [log.key])).toMatchObject({ ok: true, signedBy: [log.key] })
  expect(openNote(note(valid, valid), [log.key])).toMatchObject({ ok: true, signedBy: [log.key] })
  expect(openNote(note(foreign), [log.key])).toMatchObject({ ok: false, problem: expect.stringContaining('trusted') })
  expect(openNote(note(valid), [])).toMatchObject({ ok: false })
  expect(openNote(note(wrong), [log.key])).toMatchObject({ ok: false, problem: expect.stringContaining('not valid') })
  expect(openNote(note(valid, wrong), [log.key])).toMatchObject({ ok: false })
  for (const bytes of [valid.bytes.subarray(1), Buffer.concat([valid.bytes, Buffer.from([0])])]) {
    expect(openNote(note({ ...valid, bytes }), [log.key])).toMatchObject({ ok: false })
  }
  expect(openNote(note({ ...valid, keyId: '00000000' }), [log.key])).toMatchObject({ ok: false })
  expect(openNote(note({ ...valid, name: 'assent.example/x' }), [log.key])).toMatchObject({ ok: false })
})

test('[TLOG-3] a private key that does not belong to the public key signs nothing', () => {
  expect(() => signText(text, { ...log, privateKey: other.privateKey })).toThrow('does not belong to its public key')
})

const malformed: readonly [what: string, note: string | Uint8Array][] = [
  ['nothing', ''],
  ['only a text', text],
  ['a text without signatures', `${text}\n`],
  ['no empty line', text + logLine],
  ['no last line feed', `${text}\n${logLine}`.slice(0, -1)],
  ['an empty line at the end', `${text}\n${logLine}\n`],
  ['a line after the signatures', `${text}\n${logLine}Unexpected line.\n`],
  ['a control character', `\x01${text}\n${logLine}`],
  ['a tab', `${text}\t\n\n${logLine}`],
  ['a carriage return', `${text}\n${logLine}`.replaceAll('\n', '\r\n')],
  ['bytes that are not UTF-8', Buffer.concat([Buffer.from([0xff]), Buffer.from(`${text}\n${logLine}`)])],
  ['an overlong encoding', Buffer.concat([Buffer.from([0xc0, 0xaf]), Buffer.from(`${text}\n${logLine}`)])],
  ['half of a surrogate pair', `\ud800${text}\n${logLine}`],
  ['a hyphen instead of the dash', `${text}\n${logLine.replace('—', '-')}`],
  ['no space after the dash', `${text}\n${logLine.replace('— ', '—')}`],
  ['a space before the dash', `${text}\n ${logLine}`],
  ['two spaces', `${text}\n${logLine.replace('acme ', 'acme  ')}`],
  ['a space at the end of a line', `${text}\n${logLine.replace('\n', ' \n')}`],
  ['a name with a space', `${text}\n${logLine.replace('assent.', 'assent\u2003.')}`],
  ['a name with a plus sign', `${text}\n${logLine.replace('assent.', 'assent+')}`],
  ['an empty name', `${text}\n${logLine.replace('assent.example/acme', '')}`],
  ['base64 without padding', `${text}\n${logLine.replace('=\n', '\n')}`],
  ['base64url', `${text}\n${logLine.replaceAll('/X1', '_X1')}`],
  ['base64 with other unused bits', `${text}\n${logLine.replace('A4=', 'A5=')}`],
  ['a signature of no bytes', `${text}\n— assent.example/acme ERX/Xw==\n`],
  ['65 signatures', `${text}\n${logLine.repeat(65)}`],
  ['too many bytes', `${'x'.repeat(131_072)}\n\n${logLine}`],
]

test.each(malformed)('[TLOG-3] a note with %s is refused', (_, note) => {
  expect(parseNote(note)).toBeUndefined()
  expect(openNote(note, [log.key])).toMatchObject({ ok: false })
})

test('[TLOG-3] a text may contain empty lines, and 16 signatures of 5 kB are accepted', () => {
  const long = { name: 'post.quantum', keyId: '01020304', bytes: new Uint8Array(5_000) }
  const signatures = [...Array(15).fill(long), signText('one\n\ntwo\n', log)]
  const note = formatNote({ text: 'one\n\ntwo\n', signatures })
  expect(openNote(note, [log.key])).toMatchObject({ ok: true, text: 'one\n\ntwo\n' })
})

test('[TLOG-3] every note that is written is read back, and has the same bytes when it is written again', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '/', '.', 'é', '漢', '-', '—'), minLength: 1, maxLength: 20 })
  const line = fc.record({
    name,
    keyId: fc.constantFrom('00000000', 'deadbeef'),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 80 }),
  })
  const body = fc.array(fc.string({ unit: 'grapheme' }).map((one) => one.replace(/\p{Cc}/gu, '')))
  fc.assert(
    fc.property(body, fc.array(line, { minLength: 1, maxLength: 5 }), (lines, signatures) => {
      const note = formatNote({ text: `${lines.join('\n')}\n`, signatures })
      const parsed = parseNote(note)
      expect(parsed?.text).toBe(`${lines.join('\n')}\n`)
      expect(parsed === undefined ? '' : formatNote(parsed)).toBe(note)
    }),
  )
})

test('[TLOG-3] a note without text, without signatures or with more than 64 is not written', () => {
  expect(() => formatNote({ text, signatures: [] })).toThrow('A note has')
  expect(() => formatNote({ text, signatures: Array(65).fill(signText(text, log)) })).toThrow('A note has')
  expect(() => formatNote({ text: 'no line feed', signatures: [signText(text, log)] })).toThrow('A note has')
  expect(() => formatNote({ text: 'a\tb\n', signatures: [signText(text, log)] })).toThrow('A note has')
})

test('[TLOG-3] every part of a verifier key, and every key with one changed character, is refused', () => {
  for (let start = 0; start < exampleKey.length; start++) {
    for (let end = start; end <= exampleKey.length; end++) {
      if (start > 0 || end < exampleKey.length) expect(parseVerifierKey(exampleKey.slice(start, end))).toBeUndefined()
    }
    const next = String.fromCharCode(exampleKey.charCodeAt(start) + 1)
    expect(parseVerifierKey(exampleKey.slice(0, start) + next + exampleKey.slice(start + 1))).toBeUndefined()
  }
})

test('[TLOG-3] a key of an unsupported type, of another length or with an invalid name is refused', () => {
  // The id fits the key, so only the type is wrong: 4 and 6 are further types of c2sp.org/signed-note.
  const { name, publicKey } = log.key
  const id = (bytes: Uint8Array) => sha4(Buffer.concat([Buffer.from(`${name}\n`), bytes]))
  const types = [4, 6].map((type) => Buffer.from([type, ...publicKey]))
  for (const bytes of [...types, Buffer.from([1, ...publicKey, 0]), Buffer.from([1])]) {
    expect(parseVerifierKey(`${name}+${id(bytes)}+${bytes.toString('base64')}`)).toBeUndefined()
  }
  expect(parseVerifierKey(verifierKey(log.key).toUpperCase())).toBeUndefined()
  for (const invalid of ['', 'a b', 'a+b', 'a\u00a0b', 'a\nb', 'x'.repeat(257)]) {
    expect(() => noteKey(invalid, publicKey)).toThrow('name of a note key')
  }
  expect(() => noteKey(name, publicKey.subarray(1))).toThrow('32 bytes')
})

function sha4(bytes: Uint8Array): string {
  return hash('sha256', bytes).slice(0, 8)
}
