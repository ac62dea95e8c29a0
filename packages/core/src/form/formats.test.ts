import { expect, test } from 'vitest'
import { type TextFormat, textFormats } from './form.ts'
import { hasFormat } from './formats.ts'

const label63 = 'a'.repeat(63)
const examples: Readonly<Record<TextFormat, { readonly good: readonly string[]; readonly bad: readonly string[] }>> = {
  email: {
    good: ['a@b.co', "o'brien+x@mail.example.com", 'x_1@sub-domain.example', `${'a'.repeat(64)}@${label63}.de`],
    bad: [
      ...['', 'a', '@b.co', 'a@', 'a@b', 'a@b..co', 'a@.co', 'a@b.co.', 'a@-b.co', 'a@b-.co', 'a@@b.co', 'a@b@c.de'],
      ...['.a@b.co', 'a.@b.co', 'a..b@c.de', 'a b@c.de', '"a"@b.co', 'a@b c.de', 'ä@b.co', 'a@bü.de', ' a@b.co'],
      ...[`${'a'.repeat(65)}@b.co`, `a@${label63}a.de`, `a@${Array(5).fill(label63).join('.')}`, 'a@b.co\n'],
    ],
  },
  uri: {
    good: [
      ...['https://example.com', 'HTTP://EXAMPLE.COM:8080/a/b?c=d&e#f', 'mailto:a@b.co', 'urn:isbn:0451450523'],
      ...['file:///etc/hosts', 'https://[2001:db8::1]:443/', 'https://user:pw@host/', 'a+b-c.1:x', 'https://h/%20?#'],
      ...['https://h?q', 'tel:+1-816-555-1212', 'https://h:/'],
    ],
    bad: [
      ...['', 'example.com', '/path', '//host/path', ':x', 'https:', 'https://', 'https:/x', 'http:///x', 'http:x'],
      ...['1a:x', 'a_b:x', 'https://h/ x', 'https://h/%2', 'https://h/%zz', 'https://h/<x>', 'https://h/#a#b'],
      ...[
        'https://h:80a/',
        'https://:80/',
        'https://@/',
        'https://a@b@c/',
        'https://[::1',
        'https://[]/',
        'https://[x]',
      ],
      ...['https://[::1]x/', 'https://h/[a]', 'https://h/ä', 'https://h/\n', 'https://a%/', 'https://a%@h/', 'x:#'],
    ],
  },
  date: {
    good: ['2026-07-28', '2024-02-29', '2000-02-29', '0000-01-01', '9999-12-31', '2026-04-30'],
    bad: [
      ...['', '2026-7-28', '2026-07-28 ', '2026/07/28', '2026-07/28', '2026-00-10', '2026-13-01', '2026-01-00'],
      ...[
        '2026-01-32',
        '2026-04-31',
        '2026-02-29',
        '1900-02-29',
        '2026-02-30',
        '-026-01-01',
        '２０26-01-01',
        '2026-1a-01',
      ],
    ],
  },
  'date-time': {
    good: [
      ...[
        '2026-07-28T09:30:00Z',
        '2026-07-28t09:30:00z',
        '2026-07-28T09:30:00.123456789Z',
        '2026-07-28T00:00:00+05:30',
      ],
      ...[
        '2026-07-28T23:59:59-23:59',
        '2016-12-31T23:59:60Z',
        '2017-01-01T05:29:60+05:30',
        '2016-12-31T15:59:60.9-08:00',
      ],
    ],
    bad: [
      ...[
        '',
        '2026-07-28',
        '2026-07-28T09:30:00',
        '2026-07-28 09:30:00Z',
        '2026-02-30T09:30:00Z',
        '2026-07-28T9:30:00Z',
      ],
      ...['2026-07-28T24:00:00Z', '2026-07-28T09:60:00Z', '2026-07-28T09:30:61Z', '2026-07-28T09:30:60Z'],
      ...['2026-07-28T23:59:60+01:00', '2026-07-28T09:30:00.Z', '2026-07-28T09:30:00.', '2026-07-28T09:30:00+24:00'],
      ...[
        '2026-07-28T09:30:00+01:60',
        '2026-07-28T09:30:00+0100',
        '2026-07-28T09:30:00*01:00',
        '2026-07-28T09:30:00ZZ',
      ],
      ...['2026-07-28T09-30:00Z', '2026-07-28T09:30-00Z', '2026-07-28T-9:30:00Z', '2026-07-28T09:30:5Z'],
      ...['2026-07-28T09:30:00+1a:00', '2026-07-28T09:30:00+01:b0', '2026-07-28Taa:30:00Z', '2026-07-28T09:aa:00Z'],
    ],
  },
}

for (const format of textFormats) {
  test.each(examples[format].good)(`[FORM-15] ${format} accepts %j`, (text) => {
    expect(hasFormat(text, format)).toBe(true)
  })
  test.each(examples[format].bad)(`[FORM-15] ${format} refuses %j`, (text) => {
    expect(hasFormat(text, format)).toBe(false)
  })
}

test('[FORM-15] twice the text takes no more than about twice the time', () => {
  const shapes = ['a@', 'a.', 'a@a.', '%41', 'a:', '//', '1', '[', '#', '2026-07-28T09:30:00.1']
  const million = 1_000_000

  for (const format of textFormats) {
    for (const shape of shapes) {
      const before = process.cpuUsage()
      hasFormat(`https://${shape.repeat(million / shape.length)}!`, format)
      hasFormat(`${shape.repeat(million / shape.length)} `, format)
      // A quadratic walk over a million characters would take minutes. Processor time, because the machine may be busy.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000)
    }
  }
})
