// Hostile strings: markup that would run or fetch, terminal escapes, and invisible, bidirectional or combining characters.

import type { SeededRandom } from '../../test-kit/random.ts'

const evil = 'http://evil.example/seen'
const ran = 'window.__ran=1'

const scripts = [
  `<script>${ran}</script>`,
  `"><script>${ran}</script>`,
  `</textarea><script>${ran}</script>`,
  `<img src=x onerror="${ran}">`,
  `<img src="${evil}.png">`,
  `<svg/onload=${ran}>`,
  `<svg><script href="${evil}.js"/></svg>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>`,
  `<iframe src="javascript:parent.__ran=1"></iframe>`,
  `<object data="${evil}"></object>`,
  `<link rel="stylesheet" href="${evil}.css">`,
  `<style>@import url(${evil}.css);</style>`,
  `<base href="http://evil.example/">`,
  `<meta http-equiv="refresh" content="0;url=${evil}">`,
  `<form action="${evil}"><button autofocus onfocus="${ran}">Approve</button></form>`,
  `<details open ontoggle="${ran}">`,
  `<a href="javascript:${ran}">Approve</a>`,
  `<video><source onerror="${ran}"></video>`,
  `<math><mtext><style><img src=x onerror=${ran}></style></mtext></math>`,
  `javascript:${ran}`,
  `data:text/html,<script>${ran}</script>`,
  `![picture](${evil}.png)`,
  `[Approve](javascript:${ran})`,
  `{{constructor.constructor('${ran}')()}}`,
  `\${${ran}}`,
  `';${ran}//`,
  `&#60;script&#62;${ran}&#60;/script&#62;`,
  `%3Cscript%3E${ran}%3C/script%3E`,
  `__proto__`,
  `constructor`,
]

/** Ways of writing Markdown that drop text when they are drawn, or that would make links, pictures or HTML of it. */
const markdown = [
  `[note]: ${evil} "delete all"`,
  `[Approve](${evil} "delete all")`,
  `![delete all](${evil}.png "title")`,
  `<!-- delete all -->`,
  `<b>bold</b> <i onclick="${ran}">x</i>`,
  `| one | two |\n| --- | --- |\n| a | b | delete all |`,
  `| one |\n| --- |\n| a \\| b |\n| \`c | d\` |`,
  '```sh delete all\nls\n```',
  '~~~diff\n-old\n+new\n~~~',
  '```\n<script>\n```',
  '- [x] done\n- [ ] open\n\n  delete all',
  '7. seven\n9. nine\n   1. inner\n\n      delete all',
  '> quoted\n> [note]: x "delete all"\n\nafter',
  '# heading # delete\n\nand\n===\n\nor\n---',
  '**bold *both* bold** _under_ ~~struck~~ `code ``` code`',
  '&#x202E;&#8203;&amp;&lt;b&gt;&copy;',
  '\\# \\* \\[not a link\\](x) \\\nbreak  \nspaces',
  '    indented code\n\n\ttab',
  'http://evil.example/a www.evil.example <http://evil.example/> a@evil.example',
  '[^1] and [^1]: delete all',
  `${'> '.repeat(30)}deep`,
  `${'- '.repeat(30)}deep`,
  `${'*'.repeat(60)}stars${'*'.repeat(60)}`,
  `${'`'.repeat(50)}ticks`,
  '[['.repeat(50) + ']]'.repeat(20),
]

const terminal = [
  '\u001b[31mred\u001b[0m',
  '\u001b[2J\u001b[H',
  '\u001b]0;title\u0007',
  '\u001b]8;;http://evil.example\u001b\\Approve\u001b]8;;\u001b\\',
  '\u001bP1;2q\u001b\\',
  '\u009b31m',
  'safe\rEVIL',
  'safe\b\b\b\bEVIL',
  'a\u0000b',
  'a\u007fb',
  '\u0007',
]

const hiding = [
  ...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c',
  ...'\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u180e\u034f\u115f\u1160\u3164\uffa0',
  ...'\u2028\u2029\u0085\u000b\u000c\ufff9\ufffa\ufffb\ufffc\u206a\u206f\u{e0001}\u{e0041}\u{e007f}\ufe00\ufe0f',
  ...'\ue000\u{f0000}\u{10fffd}\ufdd0\u{1ffff}\u2800\u1680\u2005',
]

const words = [
  'Approve',
  'deploy',
  'production',
  'delete all',
  'rm -rf /',
  'nothing',
  'paypal.com',
  'Löschen',
  '承認',
  'موافقة',
]

/** The families of strings, used in turn so that each is tried. */
const families: readonly ((random: SeededRandom) => string)[] = [
  (random) => `${random.pick(words)} ${random.pick(scripts)}`,
  (random) => random.pick(scripts) + random.pick(scripts),
  (random) => `${random.pick(words)}${random.pick(terminal)}${random.pick(words)}`,
  (random) => sprinkle(random, random.pick(words), 1 + random.int(4)),
  (random) => sprinkle(random, random.pick(scripts), 1 + random.int(6)),
  (random) => `${random.pick(words)}${random.pick(hiding)}${random.pick(words).split('').reverse().join('')}`,
  // Imitations of our own markers.
  (random) => `⟨U+202E⟩ ${random.pick(words)} ⟨99 more characters⟩`,
  // Stacked marks that overlap the neighbouring lines.
  (random) => random.pick(words) + '\u0321\u0336\u0489\u033f'.repeat(5 + random.int(60)),
  (random) => random.pick(['W', '─', 'あ', '\u00a0', 'x']).repeat(200 + random.int(40)),
  (random) => `${random.pick(words)}\n\n\n\n[ Approve ]\t${random.pick(words)}`,
  (random) => `${random.pick(words)}\n\n${random.pick(markdown)}\n\n${random.pick(markdown)}\n${random.pick(words)}`,
]

/** An index always gives the same family; every string is different. */
export function hostileString(random: SeededRandom, place: number): string {
  const make = families[place % families.length]
  if (make === undefined) throw new RangeError('Unknown family of strings.')
  return `${make(random)} #${place}`
}

export function hostileMarkdown(random: SeededRandom): string {
  return random.pick(markdown)
}

export function veryLong(random: SeededRandom): string {
  return sprinkle(random, random.pick(['long ', '<b>', 'x']).repeat(2_400), 200).slice(0, 8_000)
}

function sprinkle(random: SeededRandom, text: string, count: number): string {
  const characters = [...text]
  for (let i = 0; i < count; i++) characters.splice(random.int(characters.length + 1), 0, random.pick(hiding))
  return characters.join('')
}
