// Words that this project used instead of the usual term, and that may not be used again.
//
// Identifiers and file names are compared word by word (`putOffCalls` is put, off, calls). Test titles, and strings and
// templates with a space in them (errors, logs, HTTP bodies, help), are compared by pattern, without promise ids.
import { parseSync, Visitor } from 'oxc-parser'
import { readSources, type SourceFile } from '../workspace.ts'
import { lineAt } from './reaches.ts'

/** By old word in a name: the word to use instead. */
const oldNames: Readonly<Record<string, string>> = {
  barred: 'excluded',
  bell: 'waiter',
  believe: 'check',
  beside: 'fallback',
  correspondence: 'messages',
  desk: 'service',
  doubt: 'suspect',
  electorate: 'approval rule',
  fleet: 'cluster',
  hasty: 'async commit',
  hear: 'receive',
  heard: 'received',
  hears: 'receives',
  house: 'test gateway',
  letter: 'message',
  letters: 'messages',
  lie: 'planted fault',
  lies: 'planted faults',
  manners: 'client report',
  mend: 'fix',
  mended: 'fixed',
  nobody: 'none',
  owed: 'pending',
  parked: 'held',
  parking: 'held calls',
  pulse: 'health check',
  silence: 'inbox fallback',
  somebody: 'person',
  tell: 'report',
  tells: 'reports',
  told: 'reported',
  trouble: 'error',
  unhurried: 'background',
  whoever: 'person, client, caller',
  wish: 'session setting',
  wishes: 'session settings',
}

/** Code about alphabets. */
const mayNameLetters = /^packages\/core\/src\/(form|screen|ids)/

/** Patterns in text that people read, with what to write instead. */
const oldWording: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwhoever\b/i, 'name the subject: the person, the client, the caller'],
  [/\bnobody\b/i, 'name the subject, or say what is missing'],
  [/\bhears?\b|\bheard\b/i, 'receives, received'],
  [/\b(is|are|was|were|be|been|being) told\b/i, 'receives, is reported'],
  [/\bmailbox\b/i, 'message queue'],
  [/\bwhat (came|comes|became|becomes) of\b/i, 'the outcome'],
  [/\b(goes|go|went|going) on\b/, 'continues'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\bis no (setting|name|value|number|file|command|tool|ask|question|address|such)\b/i, 'unknown, invalid'],
  [/\bbelieved?s?\b/i, 'accepts, checks'],
  [/\bforgets\b|\bforgotten\b/i, 'deletes, drops'],
  [/\bput off\b/i, 'deferred'],
  [/\bparked\b/i, 'held'],
  [/\bgrows? (old|tired)\b|\btired of\b/i, 'times out'],
  [/\bgiven up\b|\bgives? up\b/i, 'abandoned, times out'],
  [/\bno longer of use\b|\bof no use\b/i, 'unused'],
  [/\bfleet\b/i, 'cluster'],
  [/\bas good as\b/i, 'say what holds'],
]

/** All files that are checked: not corpora, which are samples, and not the list itself. */
export function checkedForWords(): SourceFile[] {
  return ['packages', 'test', 'test-kit', 'scripts', 'proofs', 'benches', 'grid', 'clients', 'conformance', 'examples']
    .flatMap(readSources)
    .filter(({ path }) => !/\.corpus\.ts$|\/words(\.test)?\.ts$/.test(path))
}

export function oldWordsIn({ path, text }: SourceFile): string[] {
  const found = new Set<string>()
  const at = (start: number) => `${path}:${lineAt(text, start)}`
  const addName = (name: string, place: () => string) => {
    for (const word of wordsOf(name)) {
      const instead = Object.hasOwn(oldNames, word) ? oldNames[word] : undefined
      if (word.startsWith('letter') && mayNameLetters.test(path)) continue
      if (instead !== undefined) found.add(`${place()} ${name}: write "${instead}", not "${word}"`)
    }
  }
  const addText = (string: string, start: number) => {
    const words = string.replaceAll(/\[[A-Z]+-\d+\]/g, '').trim()
    if (!words.includes(' ')) return
    for (const [pattern, instead] of oldWording) {
      const [match] = pattern.exec(words) ?? []
      if (match !== undefined) found.add(`${at(start)} "${match}" (${instead}): ${words}`)
    }
  }
  const seen = new Set<string>()
  const identifier = ({ name, start }: { name: string; start: number }) => {
    if (!seen.has(name)) addName(name, () => at(start))
    seen.add(name)
  }
  for (const part of path.split('/')) addName(part, () => path)
  new Visitor({
    Identifier: identifier,
    PrivateIdentifier: identifier,
    JSXIdentifier: identifier,
    Literal: ({ value, start }) => {
      if (typeof value === 'string') addText(value, start)
    },
    TemplateElement: ({ value, start }) => addText(value.cooked ?? value.raw, start),
    JSXText: ({ value, start }) => addText(value, start),
  }).visit(parseSync(path, text).program)
  return [...found]
}

/** `HTTPServer2025`, `put-off` and `putOff` become lower-case words without digits. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
}
