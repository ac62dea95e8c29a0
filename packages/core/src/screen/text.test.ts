import fc from 'fast-check'
import { expect, test } from 'vitest'
import { oneLine, shownInTerminal, shownOnOneLine, type TextSurface, visibleText } from './text.ts'

const surfaces: readonly TextSurface[] = ['web', 'terminal']

// Written independently of the code under test, by block and by name, so that one mistake does not hide in both.
const dangerous = new RegExp(
  String.raw`[\0-\x08\x0B-\x1F\x7F-\x9F\xAD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B\u200E\u200F\u2028-\u202E` +
    String.raw`\u2060-\u206F\u2800\u3164\uD800-\uDFFF\uFE00-\uFE0D\uFEFF\uFFA0\uFFF9-\uFFFC\uFFFE\uFFFF` +
    String.raw`\u{E0000}-\u{E0FFF}\u{F0000}-\u{10FFFF}]`,
  'u',
)

// A joiner or selector is allowed only inside an emoji, between Arabic letters or after a virama.
const strayJoiner = new RegExp(
  String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0E\uFE0F\p{Mn}])\u200D|(?<![\p{Script=Arabic}\p{Mn}])\u200C` +
    String.raw`|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*])[\uFE0E\uFE0F]|[\u200C\u200D](?:$|⟨)`,
  'u',
)

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '\u001b',
      '[31m',
      '\u202e',
      '\u200d',
      '\ufe0f',
      '👩',
      '❤',
      'e',
      '\u0301',
      '⟨',
      'U+',
      '⟩',
      '\n',
      '\r',
      '\ud800',
      'م',
      '\u200c',
      'क',
      '\u094d',
    ),
  }),
)

test.each(surfaces)('[SCREEN-9] no dangerous character reaches the %s unescaped', (surface) => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(visibleText(text, surface)).not.toMatch(dangerous)
      expect(visibleText(text, surface, { maxChars: 9 })).not.toMatch(strayJoiner)
      expect(oneLine(text, surface)).not.toMatch(/[\n\r\t]/)
      expect(oneLine(text, surface)).not.toMatch(dangerous)
    }),
    { numRuns: 2_000 },
  )
})

test('[SCREEN-9] every Unicode code point after a letter is either visible or escaped', () => {
  const planes = Array.from({ length: 0x11 }, (_, plane) =>
    Array.from({ length: 0x10000 }, (_, low) => `a${String.fromCodePoint(plane * 0x10000 + low)}`).join('b'),
  )
  for (const text of planes) expect(dangerous.exec(visibleText(text, 'terminal', { maxChars: 1e9 }))).toBeNull()
})

test.each([
  ['an escape sequence', '\u001b[31mred\u001b[0m', '⟨U+001B⟩[31mred⟨U+001B⟩[0m'],
  ['a hyperlink sequence', '\u001b]8;;https://evil.example\u0007x', '⟨U+001B⟩]8;;https://evil.example⟨U+0007⟩x'],
  ['a one-byte control', '\u009b2J', '⟨U+009B⟩2J'],
  ['a carriage return that overwrites', 'safe\revil', 'safe⟨U+000D⟩evil'],
  ['a reversal', 'file\u202Etxt.exe', 'file⟨U+202E⟩txt.exe'],
  ['a zero-width space', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
  ['a joiner between Latin letters', 'a\u200db\u200cc', 'a⟨U+200D⟩b⟨U+200C⟩c'],
  ['tag characters', 'hi\u{E0068}\u{E0069}', 'hi⟨U+E0068⟩⟨U+E0069⟩'],
  ['a variation selector that carries data', 'a\ufe0f\u{E0101}', 'a⟨U+FE0F⟩⟨U+E0101⟩'],
  ['an unpaired surrogate', 'a\ud800b\udc00', 'a⟨U+D800⟩b⟨U+DC00⟩'],
  ['a line separator', 'a\u2028b\u2029c', 'a⟨U+2028⟩b⟨U+2029⟩c'],
  ['a soft hyphen', 'pass\u00adword', 'pass⟨U+00AD⟩word'],
  ['a Hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
  ['a blank Braille cell', 'a\u2800b', 'a⟨U+2800⟩b'],
  ['a private character', 'a\ue000b', 'a⟨U+E000⟩b'],
  ['a noncharacter', 'a\uffffb', 'a⟨U+FFFF⟩b'],
  ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
])('[SCREEN-9] %s is made visible, the same way on every surface', (_, text, shown) => {
  for (const surface of surfaces) expect(visibleText(text, surface)).toBe(shown)
})

test('[SCREEN-9] lines and tabs stay in a message and are shown as escapes in a title', () => {
  expect(visibleText('a\r\nb\nc\td', 'web')).toBe('a\nb\nc\td')
  expect(visibleText('a\tb', 'terminal')).toBe('a    b')
  expect(oneLine('a\r\nb\nc\td', 'web')).toBe('a⟨U+000D⟩⟨U+000A⟩b⟨U+000A⟩c⟨U+0009⟩d')
})

test('[SCREEN-10] our brackets in the text of a server are escaped', () => {
  expect(visibleText('⟨U+202E⟩', 'web')).toBe('⟨U+27E8⟩U+202E⟨U+27E9⟩')
  expect(visibleText('⟨9 more characters⟩', 'web')).not.toContain('⟨9')
})

test('[SCREEN-10] the original text can be recovered from what is shown', () => {
  const onOneLine = anyText.filter((text) => !text.includes('\r\n'))
  fc.assert(
    fc.property(onOneLine, (text) => {
      const shown = visibleText(text, 'web', { maxChars: Number.POSITIVE_INFINITY })
      const read = shown.replace(/⟨U\+([0-9A-F]+)⟩/g, (_, hex: string) =>
        String.fromCodePoint(Number.parseInt(hex, 16)),
      )
      expect(read).toBe(text)
    }),
  )
})

test.each([
  'Bitte prüfen Sie die Änderung.',
  'Tiếng Việt có nhiều dấu',
  'Voulez-vous continuer\u00a0?',
  '日本語　テキスト',
  'שלום עולם',
  'می\u200cخواهم',
  'क्\u200dष',
  'ภาษาไทย',
  '👩‍👩‍👧 ❤️ 👍🏽 🏳️‍🌈 1️⃣ 🇩🇪',
  'naïve café',
  '',
])('[SCREEN-11] ordinary text is unchanged: %s', (text) => {
  expect(visibleText(text, 'web')).toBe(text)
})

test('[SCREEN-11] a terminal keeps emoji whole, and shows the joiners it could not shape', () => {
  expect(visibleText('👩‍👧', 'terminal')).toBe('👩‍👧')
  expect(visibleText('می\u200cخواهم', 'terminal')).toBe('می⟨U+200C⟩خواهم')
})

test('[SCREEN-11] plain text is unchanged', () => {
  const plain = fc.string({ unit: 'grapheme' }).filter((text) => !visibleText(text, 'web').includes('⟨'))
  fc.assert(
    fc.property(plain, (text) => {
      const once = visibleText(text, 'web')
      expect(visibleText(once, 'web')).toBe(once)
    }),
  )
})

test('[SCREEN-12] a letter keeps at most four marks, so that they cannot cover other lines', () => {
  expect(visibleText(`e${'\u0301'.repeat(6)}`, 'web')).toBe(`e${'\u0301'.repeat(4)}⟨U+0301⟩⟨U+0301⟩`)
})

test('[SCREEN-12] a mark without a letter is escaped, so that it cannot attach to our text', () => {
  expect(visibleText('\u0301a\n\u0301\u202e\u0301', 'web')).toBe('⟨U+0301⟩a\n⟨U+0301⟩⟨U+202E⟩⟨U+0301⟩')
})

test('[SCREEN-12] text beyond the limit is cut between characters and counted', () => {
  expect(visibleText('abcdef', 'web', { maxChars: 4 })).toBe('abcd⟨2 more characters⟩')
  expect(visibleText('abcde', 'web', { maxChars: 4 })).toBe('abcd⟨1 more character⟩')
  expect(visibleText('abcd', 'web', { maxChars: 4 })).toBe('abcd')
  expect(visibleText('ab👩‍👧', 'web', { maxChars: 4 })).toBe('ab⟨3 more characters⟩')
  expect(oneLine(`a${'b'.repeat(2_000)}`, 'web', { maxChars: 1 })).toBe('a⟨2,000 more characters⟩')
})

test('[SCREEN-12] escapes count towards the limit, so hidden characters cannot flood a screen', () => {
  expect(visibleText('\u202e'.repeat(5_000), 'web').length).toBeLessThan(8_300)
})

test('[SCREEN-12] a limit that is not a number shows nothing instead of everything', () => {
  expect(visibleText('abc', 'web', { maxChars: Number.NaN })).toBe('⟨3 more characters⟩')
})

test('[SCREEN-9] text prepared for the web is also safe in a terminal and is not escaped twice', () => {
  const shown = visibleText('a\u001b[2J\tb\u202e\nc⟨d⟩ क्\u200dष می\u200cخواهم 👩\u200d💻', 'web')

  expect(shownInTerminal(shown)).toBe(
    'a⟨U+001B⟩[2J    b⟨U+202E⟩\nc⟨U+27E8⟩d⟨U+27E9⟩ क्⟨U+200D⟩ष می⟨U+200C⟩خواهم 👩\u200d💻',
  )
  expect(shownOnOneLine('a\nb')).toBe('a⟨U+000A⟩b')
})
