import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHost } from './host.ts'
import { screenUrl, type UrlOptions } from './url.ts'

test.each([
  ['not-a-url', ''],
  ['not-a-url', '/settings'],
  ['not-a-url', '//example.com/'],
  ['not-a-url', 'example.com'],
  ['not-a-url', 'https:example.com'],
  ['not-a-url', 'https:///example.com'],
  ['not-a-url', 'https://'],
  ['not-a-url', 'https://?q'],
  ['not-a-url', 'https://:443/'],
  ['not-a-url', 'https://example.com:99999/'],
  ['not-a-url', 'https://exa<mple.com/'],
  ['scheme', 'javascript:alert(1)'],
  ['scheme', 'JaVaScRiPt://example.com/%0aalert(1)'],
  ['scheme', 'data:text/html,hi'],
  ['scheme', 'file:///etc/passwd'],
  ['scheme', 'vbscript:msgbox'],
  ['scheme', 'ftp://example.com/'],
  ['scheme', 'vscode://open'],
  ['credentials', 'https://user:pass@example.com/'],
  ['credentials', 'https://paypal.com@evil.example/'],
  ['credentials', 'https://@evil.example/'],
  ['credentials', 'https://paypal.com\\@evil.example/'],
  ['hidden-characters', ' https://example.com/'],
  ['hidden-characters', 'https://example.com/\n'],
  ['hidden-characters', 'java\tscript:alert(1)'],
  ['hidden-characters', 'https://exam\u200bple.com/'],
  ['hidden-characters', 'https://example.com/\u202Egnp.exe'],
  ['hidden-characters', 'https://example.com/\ud800'],
  ['hidden-characters', 'https://example.com/a\u00a0b'],
  ['disguised-host', 'https://evil.example\\.paypal.com/'],
  ['disguised-host', 'https://example.com/a\\b'],
  ['disguised-host', 'https://ex%61mple.com/'],
  ['disguised-host', 'https://xn--a/'],
  ['disguised-host', 'https://xn--paypal-.com/'],
  ['disguised-host', 'https://xn--mgbn2ecje63gr19l.com/'],
  ['disguised-host', 'https://a..b.com/'],
  ['disguised-host', 'https://pаypal.com/'],
  ['disguised-host', 'https://gοοgle.com/'],
  ['disguised-host', 'https://ᏢaypaᏞ.com/'],
  ['not-https', 'http://example.com/'],
  ['not-https', 'http://10.0.0.1/'],
  ['not-https', 'http://128.0.0.1/'],
  ['not-https', 'http://127.0.0.1.evil.example/'],
  ['not-https', 'http://localhost.evil.example/'],
  ['too-long', `https://example.com/${'a'.repeat(2_048)}`],
] as const)('[SCREEN-6] refused as %s: %j', (code, text) => {
  expect(screenUrl(text)).toMatchObject({ ok: false, code, reason: expect.stringMatching(/\.$/) })
})

test.each([
  'https://example.com/',
  'HTTPS://EXAMPLE.COM',
  'https://example.com/a?b=c#d',
  'https://example.com./@x',
  'https://a_b.example.com/',
])('[SCREEN-6] an ordinary link passes with no warning: %s', (text) => {
  expect(screenUrl(text)).toMatchObject({ ok: true, warnings: [] })
})

test.each([
  'http://localhost:3000/',
  'http://localhost./',
  'http://app.localhost/',
  'http://127.0.0.1:8080/',
  'http://127.1/',
  'http://[::1]:8080/',
])('[SCREEN-6] plain http to the reader’s own computer passes unless turned off: %s', (text) => {
  expect(screenUrl(text)).toMatchObject({ ok: true, host: { loopback: true } })
  expect(screenUrl(text, { allowHttpLoopback: false })).toMatchObject({ ok: false, code: 'not-https' })
})

test('[SCREEN-6] plain http elsewhere passes only when allowed, and with a danger', () => {
  const allowed: UrlOptions = { allowHttp: true }

  expect(codesOf('http://intranet.example/', allowed)).toEqual(['danger plain-http'])
  expect(codesOf('http://localhost/', { ...allowed, allowHttpLoopback: false })).toEqual([
    'danger plain-http',
    'danger this-computer',
  ])
})

test.each([
  ['http://localhost:3000/', '3000'],
  ['http://app.localhost/', '80'],
  ['https://127.0.0.1/', '443'],
  ['https://127.9.9.9:8443/docs', '8443'],
  ['http://[::1]:8080/', '8080'],
])('[LOCAL-7] a link to the reader’s own computer has a warning with its port: %s', (text, port) => {
  expect(screenUrl(text)).toMatchObject({
    ok: true,
    warnings: [
      {
        code: 'this-computer',
        level: 'danger',
        text: `This link leads to a program on your own computer (port ${port}), not to Assent.`,
      },
    ],
  })
})

test('[SCREEN-6] the returned link is plain ASCII and what a browser would open', () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.string({ unit: 'binary' }), (url, tail) => {
      const screening = screenUrl(url + tail)
      if (screening.ok) expect(screening.url).toMatch(/^https?:\/\/[\x21-\x7E]+$/)
    }),
  )
  expect(screenUrl('https://bücher.example/ü?ü#ü')).toMatchObject({
    url: 'https://xn--bcher-kva.example/%C3%BC?%C3%BC#%C3%BC',
  })
})

test.each([
  ['https://www.example.com/', 'www.example.com', 'www.example.com', 'example.com'],
  ['https://a.b.example.co.uk/', 'a.b.example.co.uk', 'a.b.example.co.uk', 'example.co.uk'],
  ['https://example.com./', 'example.com', 'example.com', 'example.com'],
  ['https://localhost/', 'localhost', 'localhost', 'localhost'],
  ['https://192.0.2.7/', '192.0.2.7', '192.0.2.7', '192.0.2.7'],
  ['https://[2001:db8::1]/', '[2001:db8::1]', '[2001:db8::1]', '[2001:db8::1]'],
  ['https://bücher.example/', 'xn--bcher-kva.example', 'bücher.example', 'bücher.example'],
  ['https://xn--bcher-kva.example/', 'xn--bcher-kva.example', 'bücher.example', 'bücher.example'],
  ['https://google.com。evil.example/', 'google.com.evil.example', 'google.com.evil.example', 'evil.example'],
])(
  '[SCREEN-7] %s shows its host in both forms and highlights the registered domain',
  (text, ascii, unicode, highlight) => {
    expect(screenUrl(text)).toMatchObject({ ok: true, host: { ascii, unicode, highlight } })
  },
)

test.each(['xn--paypal-', 'xn--a', 'xn--BCHER-kva', 'xn--', 'xn--ab-m1t', 'xn--o-ccb'])(
  '[SCREEN-7] an invalid punycode label is refused: %s',
  (label) => {
    expect(readHost(label)).toBeUndefined()
  },
)

test.each([
  ['danger look-alike-letters', 'https://аррӏе.com/'],
  ['danger look-alike-letters', 'https://ɡooɡle.com/'],
  ['danger look-alike-letters', 'https://www.раурал.com/'.replace('л', 'ӏ')],
  ['danger odd-symbols', 'https://example.com⁄login.evil.example/'],
  ['danger odd-symbols', 'https://example.comノevil.example/'],
  ['danger odd-symbols', 'https://https-ノノ-evil.example/'],
  ['danger odd-symbols', 'https://paypal·com.example/'],
  ['danger odd-symbols', 'https://paypal・com.example/'],
  ['danger odd-symbols', 'https://i❤.example/'],
  ['danger odd-symbols', 'https://xn--pixel-8fd.example/'],
  ['danger odd-symbols', 'https://xn--03c0b3ca.example/'],
  ['danger odd-symbols', 'https://xn--qccaa.example/'],
  ['danger odd-symbols', 'https://xn--0-6ee.example/'],
  ['danger odd-symbols', 'https://日本ー野球.example/'],
  ['danger odd-symbols', 'https://かヽ.example/'],
  ['danger mixed-scripts', 'https://paypalไทย.example/'],
  ['danger rare-script', 'https://ᏣᎳᎩ.example/'],
  ['danger imitates-a-host', 'https://paypal.com.evil.example/'],
  ['danger imitates-a-host', 'https://paypal.co.uk.evil.example/'],
  ['danger imitates-a-host', 'https://paypal.com-login.example/'],
  ['notice not-ascii', 'https://bücher.example/'],
  ['notice address', 'https://192.0.2.7/'],
  ['notice address', 'https://0xC0000207/'],
  ['notice unusual-port', 'https://example.com:8443/'],
  ['notice many-subdomains', 'https://a.b.c.d.example.com/'],
])('[SCREEN-8] warned with %s: %s', (warning, text) => {
  expect(codesOf(text)).toContain(warning)
})

test.each([
  'https://bücher.example/',
  'https://españa.example/',
  'https://москва.example/',
  'https://пример.рф/',
  'https://сор.рф/',
  'https://ελλάδα.example/',
  'https://日本語.example/',
  'https://sonyソニー.example/',
  'https://東京・大阪.example/',
  'https://ノンソ.example/',
  'https://ビタミンb1.example/',
  'https://一123.example/',
  'https://толсто́й.example/',
  'https://col·legi.example/',
  'https://삼성samsung.example/',
  'https://中文.example/',
  'https://हिन्दी.example/',
  'https://ไทย.example/',
  'https://עברית.example/',
])('[SCREEN-8] an honest international name gets a notice and no danger: %s', (text) => {
  expect(codesOf(text)).toEqual(['notice not-ascii'])
})

test('[SCREEN-13] no text makes the check throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const url of [text, `https://${text}`, `https://xn--${text}.com`])
        expect(screenUrl(url)).toHaveProperty('ok')
    }),
    { numRuns: 1_000 },
  )
})

function codesOf(text: string, options?: UrlOptions): string[] {
  const screening = screenUrl(text, options)
  return screening.ok ? screening.warnings.map(({ level, code }) => `${level} ${code}`) : [screening.code]
}
