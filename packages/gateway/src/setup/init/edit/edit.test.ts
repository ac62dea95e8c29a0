import { describe, expect, test } from 'vitest'
import { initClients } from '../clients.ts'
import { type Sample, samples, strange } from '../configs.corpus.ts'
import { thisMachine } from '../machine.ts'
import type { Change, EntryChange, Tried } from './change.ts'
import { put, take } from './edit.ts'
import { readJsonc } from './jsonc.ts'
import { inverted, spliced } from './splice.ts'
import { readToml } from './toml.ts'
import { isSame, valueAt, withValue } from './values.ts'
import { readYaml } from './yaml.ts'

const program = { script: '/opt/assent/main.js', version: '1.2.3', node: '/usr/bin/node' }
const machine = thisMachine({ HOME: '/nowhere' }, '/nowhere', 'linux', program)
const crlf = (text: string) => text.replaceAll('\n', '\r\n')
const layouts: readonly [title: string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['with CRLF', crlf],
  ['with a byte order mark', (text) => `\uFEFF${text}`],
  ['with both', (text) => `\uFEFF${crlf(text)}`],
  ['without a last line end', (text) => text.trimEnd()],
]
const every = samples.flatMap((sample) =>
  layouts.map(([layout, lay]) => ({ ...sample, layout, text: lay(sample.text) })),
)

function entryFor({ client }: Sample): EntryChange {
  const change = initClients.find(({ id }) => id === client)?.server(machine, '/nowhere').change
  if (change?.kind !== 'entry') throw new Error(`${client} has no entry`)
  return change
}

function changed(text: string, tried: Tried): string {
  if (tried.kind !== 'change') throw new Error(`${tried.kind}: ${'because' in tried ? tried.because : ''}`)
  return spliced(text, tried.splices)
}

function contentOf(text: string, form: EntryChange['form']): unknown {
  const read = { jsonc: readJsonc, toml: readToml, yaml: readYaml }[form](text.replace('\uFEFF', ''))
  if ('because' in read) throw new Error(read.because)
  return read.value
}

describe.each(every)('$client: $title, $layout', (sample) => {
  const { text, form } = sample
  const entry = entryFor(sample)
  const tried = put(text, entry)
  const after = changed(text, tried)

  test('[INIT-2] the file parses to its old content plus our entry', () => {
    expect(isSame(contentOf(after, form), withValue(contentOf(text, form), entry.path, entry.value))).toBe(true)
  })

  test('[INIT-2] existing bytes stay unchanged, except for whitespace and an empty pair of braces', () => {
    if (tried.kind !== 'change') throw new Error('It is a change.')
    expect(tried.splices.map(({ out }) => out.replaceAll(/[\s{}]/g, ''))).toEqual(tried.splices.map(() => ''))
    expect(after.includes('\n') && text.includes('\r\n') ? after.replaceAll('\r\n', '').includes('\n') : false).toBe(
      false,
    )
  })

  test('[INIT-3] applying the change again does nothing', () => {
    expect(put(after, entry)).toEqual({ kind: 'nothing' })
  })

  test('[INIT-4] the reversed splices restore the old text', () => {
    if (tried.kind !== 'change') throw new Error('It is a change.')
    expect(spliced(after, inverted(tried.splices))).toBe(text)
  })

  test('[INIT-5] removing the entry by its path restores the old text', () => {
    if (tried.kind !== 'change') throw new Error('It is a change.')
    expect(changed(after, take(after, entry, tried.remembered))).toBe(text)
  })

  test('[INIT-5] undo keeps a comment that was added before any existing line', () => {
    if (tried.kind !== 'change') throw new Error('It is a change.')
    const comment = `${form === 'jsonc' ? '// a note' : '# a note'}${text.includes('\r\n') ? '\r\n' : '\n'}`
    let comments = 0
    for (const at of lineStarts(text)) {
      const within = tried.splices.some((one) => one.at < at && at <= one.at + one.out.length)
      if (within || isInText(text.slice(0, at))) continue
      const passed = tried.splices.filter((one) => one.at < at)
      const shift = passed.reduce((sum, one) => sum + one.in.length - one.out.length, 0)
      const theirs = text.slice(0, at) + comment + text.slice(at)
      const ours = after.slice(0, at + shift) + comment + after.slice(at + shift)
      expect(changed(ours, take(ours, entry, tried.remembered)), `at ${at}`).toBe(theirs)
      comments++
    }
    expect(comments).toBeGreaterThan(0)
  })
})

function lineStarts(text: string): number[] {
  const first = text.startsWith('\uFEFF') ? 1 : 0
  return [first, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
}

/** In a multi-line string a comment would be part of the string. */
function isInText(before: string): boolean {
  return (before.split("'''").length - 1) % 2 === 1 || /description: \|[^:]*$/.test(before)
}

describe('files that cannot be edited safely', () => {
  test.each(strange)('[INIT-6] $client: $title is not changed, and the reason is reported', (sample) => {
    const tried = put(sample.text, entryFor(sample))

    expect(['unclear', 'theirs']).toContain(tried.kind)
    expect('because' in tried ? tried.because : '').toContain(sample.because)
  })
})

describe('undo after edits', () => {
  const entry: EntryChange = {
    kind: 'entry',
    form: 'jsonc',
    path: ['servers', 'assent'],
    value: { command: 'npx', args: ['-y', 'assent'] },
  }

  test('[INIT-5] undo keeps an entry that a person edited', () => {
    const text = changed('{}', put('{}', entry)).replace('"npx"', '"node"')

    expect(take(text, entry, {})).toMatchObject({ kind: 'theirs' })
    const extended = changed('{}', put('{}', entry)).replace('"command"', '"env": { "A": "b" },\n      "command"')
    expect(take(extended, entry, {})).toMatchObject({ kind: 'theirs' })
    const commented = changed('{}', put('{}', entry)).replace('"command"', '// mine\n      "command"')
    expect(take(commented, entry, {})).toMatchObject({ kind: 'theirs' })
  })

  test('[INIT-5] undo keeps servers that were added before and after ours, with their commas', () => {
    const before = '{\n  "servers": {\n    "a": {}\n  }\n}\n'
    const tried = put(before, entry)
    const after = changed(before, tried)
    const more = after
      .replace('"a": {},', '"a": {},\n    "b": {},')
      .replace('}\n  }\n}', '},\n    "c": {} // new\n  }\n}')

    expect(valueAt(contentOf(more, 'jsonc'), ['servers', 'c'])).toEqual({})
    const rest = changed(more, take(more, entry, tried.kind === 'change' ? tried.remembered : {}))
    expect(rest).toBe('{\n  "servers": {\n    "a": {},\n    "b": {},\n    "c": {} // new\n  }\n}\n')
  })

  test('[INIT-5] undo removes the objects created for our entry, unless they contain something else', () => {
    const before = '{\n  "a": 1\n}\n'
    const tried = put(before, entry)
    const after = changed(before, tried)
    const remembered = tried.kind === 'change' ? tried.remembered : {}
    const commented = after.replace('"servers": {', '"servers": {\n    // mine')

    expect(changed(after.replace('1', '2'), take(after.replace('1', '2'), entry, remembered))).toBe('{\n  "a": 2\n}\n')
    expect(changed(commented, take(commented, entry, remembered))).toContain('// mine')
  })

  test('[INIT-5] an entry to which a client added only empty settings still counts as ours', () => {
    const goose = entryFor({ client: 'goose', title: '', form: 'yaml', text: '' })
    const before = 'extensions:\n  memory:\n    enabled: true\nGOOSE_MODE: auto\n'
    const anew = `extensions:\n  assent:\n    enabled: true\n    type: stdio\n    name: assent\n    description: 'Asks the person: plans, commits, choices'\n    cmd: /usr/bin/node\n    args:\n    - /opt/assent/main.js\n    envs: {}\n    env_keys: []\n    timeout: 3600\n    bundled: null\n    available_tools: []\n  memory:\n    enabled: true\nGOOSE_MODE: auto\n`

    expect(changed(anew, take(anew, goose, { existing: 1 }))).toBe(before)
  })

  test('[INIT-5] undo keeps our table if Codex added subtables to it: without it they would be invalid', () => {
    const codex = entryFor({ client: 'codex', title: '', form: 'toml', text: '' })
    const after = `${changed('a = 1\n', put('a = 1\n', codex))}\n[mcp_servers.assent.tools.onboarding]\napproval_mode = "prompt"\n`

    expect(take(after, codex, {})).toMatchObject({ kind: 'theirs' })
  })
})

describe('blocks in a text file', () => {
  const block: Change = { kind: 'block', text: '## Ours\n\nWords.\n' }

  test.each([
    ['', '\n'],
    ['# Theirs\n', '\n'],
    ['# Theirs', '\n'],
    ['# Theirs\r\n\r\nText\r\n', '\r\n'],
    ['\uFEFF# Theirs\n\n', '\n'],
  ])('[INIT-2] [INIT-4] [INIT-5] a block after %j is separated from it, and undo removes it', (text, eol) => {
    const tried = put(text, block)
    const after = changed(text, tried)
    const remembered = tried.kind === 'change' ? tried.remembered : {}

    expect(after.startsWith(text)).toBe(true)
    expect(after).toContain(`## Ours${eol}${eol}Words.${eol}`)
    expect(put(after, block)).toEqual({ kind: 'nothing' })
    expect(changed(after, take(after, block, remembered))).toBe(text)
    const more = `${after}${eol}More.${eol}`
    expect(changed(more, take(more, block, remembered))).toBe(`${text}${eol}More.${eol}`)
  })

  test('[INIT-5] [INIT-6] a block that was edited is kept', () => {
    const after = changed('a\n', put('a\n', block)).replace('Words', 'Other words')

    expect(put(after, block)).toMatchObject({ kind: 'theirs' })
    expect(take(after, block, {})).toMatchObject({ kind: 'theirs' })
  })
})
