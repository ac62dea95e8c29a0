// Prints random sentences of the README, the docs and the READMEs of the packages, to be judged by a reader: `npm run sentences`.
//
// A number sets how many (default 20), --seed repeats a selection, and paths select pages. Headings, code, tables and generated pages are
// left out. A sentence that has to be read twice is rewritten (CONTRIBUTING.md).
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values, positionals } = parseArgs({ options: { seed: { type: 'string' } }, allowPositionals: true })
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const count = Number(positionals.find((word) => /^\d+$/.test(word)) ?? 20)
const paths = positionals.filter((word) => !/^\d+$/.test(word))
const everything = ['README.md', 'docs/**/*.md', 'packages/*/README.md']
const exclude = ['docs/behaviour.md', 'docs/background/figures.md', 'docs/reference/{settings,sdk,api}.md']

const sentences = globSync(paths.length > 0 ? paths : everything, { exclude })
  .sort()
  .flatMap((path) => sentencesOf(readFileSync(path, 'utf8')).map((text) => `${path}: ${text}`))
const random = generator(seed)
console.log(`${count} of ${sentences.length} sentences, --seed ${seed}`)
for (let left = Math.min(count, sentences.length); left > 0; left--) {
  const [sentence = ''] = sentences.splice(Math.floor(random() * sentences.length), 1)
  console.log(`- ${sentence}`)
}

/** Links are their text. Only sentences of at least four words. */
function sentencesOf(page: string): string[] {
  const prose = page
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  const blocks = prose.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/).map((block) => block.trim().replaceAll(/\s+/g, ' '))
  return blocks
    .filter((block) => !/^[#|<>!]/.test(block))
    .flatMap((block) => block.replace(/^(?:[-*]|\d+\.) /, '').split(/(?<=[.?!:]\**"?) (?=[*"`A-Z])/))
    .filter((sentence) => sentence.split(' ').length >= 4)
}

/** mulberry32: enough for a selection. */
function generator(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
