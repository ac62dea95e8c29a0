// The QR code for a phone: who gets one, and that scanners can read it.

import { join } from 'node:path'
import { openSqlite } from '@assent/store'
import jsQR from 'jsqr'
import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { addKey } from '../../../../test-kit/store/passkeys.ts'
import { aFolder, assent, assentHere } from './process.suite.ts'
import { qrText } from './qr-text.ts'
import { localKeyRing } from './state.ts'

// The package is CommonJS: its types declare a default that Node does not have.
const scan = jsQR as unknown as typeof jsQR.default

/** Scans the code in a text, as a camera would see it in a dark terminal. */
function scanned(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of the terminal
  const lines = text.replace(/\u001b\[[\d;]*m/g, '').split('\n')
  const code = lines.filter((line) => /^[ ▀▄█]+$/.test(line))
  const rows = code.flatMap((line) => [
    [...line].map((block) => block === '█' || block === '▀'),
    [...line].map((block) => block === '█' || block === '▄'),
  ])
  const scale = 4
  const [width, height] = [(rows[0]?.length ?? 0) * scale, rows.length * scale]
  const pixels = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const isWhite = rows[Math.floor(y / scale)]?.[Math.floor(x / scale)] === true
      pixels.set([isWhite ? 255 : 0, isWhite ? 255 : 0, isWhite ? 255 : 0, 255], (y * width + x) * 4)
    }
  return scan(pixels, width, height)?.data
}

const link = `https://assent.example.com/sign-in#code=${'a'.repeat(43)}`

test.each([
  ['a', false],
  ['https://assent.example.com/', true],
  [link, true],
  [`${link}&to=%2Fasks%2Fask_01`, false],
])('[PROG-21] a scanner reads %s from the printed code', (text, isColoured) => {
  expect(scanned(qrText(text, isColoured))).toBe(text)
})

async function aConfig(more: string): Promise<{ folder: string; file: string }> {
  const folder = await aFolder({
    'assent.yaml': `store: sqlite:./assent.db\nservers: { a: { command: b } }\nasks: { surfaces: [inbox] }\n${more}\n`,
  })
  return { folder, file: join(folder, 'assent.yaml') }
}

const https = 'inbox: { url: "https://assent.example.com" }'

test.each([
  ['', 'needs https'],
  ['inbox: { url: "http://localhost:7420" }', 'needs https'],
  ['inbox: { url: "https://192.0.2.7" }', 'needs a host name'],
  ['inbox: { url: "https://[2001:db8::1]" }', 'needs a host name'],
  ['inbox: { url: "https://localhost" }', 'needs a host name'],
  [https, 'set inbox.presence'],
  ['inbox: { url: "https://assent.example.com", presence: all }', 'no passkey yet'],
])('[PROG-21] with %j there is no code, and the reason is printed', async (more, why) => {
  const { file } = await aConfig(more)
  const ended = await assentHere(['inbox', 'link', '--qr', '--config', file])
  expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining(why) })
  expect(ended.err).toContain('No code was made.')
})

test('[PROG-21] with a passkey the code contains a sign-in link, with identity only the address', async () => {
  const { folder, file } = await aConfig('inbox: { url: "https://assent.example.com", presence: all }')
  const path = join(folder, 'assent.db')
  const store = await openSqlite(path, { keys: localKeyRing(path) })
  closeAfterTest(() => store.close())
  await addKey(store, 'local', undefined, undefined, 'default')
  const { code, out, err } = await assentHere(['inbox', 'link', '--qr', '--config', file])
  expect([code, scanned(out)]).toEqual([0, out.trim().split('\n').at(-1)])
  expect(scanned(out)).toMatch(/^https:\/\/assent\.example\.com\/sign-in#code=[\w-]{43}$/)
  expect(err).toContain('works once')

  const team = await aConfig(`inbox: { url: "https://assent.example.com", client_id: assent }
identity: { issuer: "https://login.example.com", audience: "https://assent.example.com/mcp" }`)
  const shown = await assentHere(['inbox', 'link', '--qr', '--config', team.file])
  expect([shown.code, scanned(shown.out)]).toEqual([0, 'https://assent.example.com/'])
})

test('[PROG-20] a configuration in the working directory is not used unless it is named', async () => {
  const { folder } = await aConfig('')
  const foreign = await aFolder({
    'assent.yaml': 'store: "postgres://${env:TOKEN}@127.0.0.1:1/x"\nservers: { a: { command: b } }\n',
  })
  const around = { folder: foreign, variables: { ASSENT_HOME: folder, TOKEN: 'sw0rdfish' } }
  const listed = await assent(['asks', 'list', '--json'], around)
  expect(listed).toMatchObject({ code: 0, err: expect.stringContaining('Using your own inbox.') })
  const opened = await assent(['inbox', 'link'], around)
  expect(opened.err).toContain('--config assent.yaml')
  expect(opened.err).not.toContain('PostgreSQL')
  expect((await assent(['asks', 'list', '--config', 'assent.yaml'], around)).code).not.toBe(0)
})

test('[ALONE-12] `assent try` names the invalid setting of the environment', async () => {
  const { code, err } = await assentHere(['try'], { ASSENT_ASKS_WAIT: 'soon' })
  expect(code).toBe(1)
  expect(err).toContain('ASSENT_ASKS_WAIT')
})
