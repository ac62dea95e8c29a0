// Finds references in the instructions to files, scripts and patterns that do not exist.
//
// A path counts as alive if it exists relative to the file's own folder or to any folder above it, or if a path in the
// repository ends with it: people write paths relative to different folders. Examples are not checked.

import { posix } from 'node:path'
import type { Repository } from '../files/discover.ts'
import { matcherOf } from '../files/glob.ts'
import { deadReferenceText } from '../text/findings.ts'
import type { Finding } from './finding.ts'
import { patternKey } from './scope.ts'
import type { ReadFile } from './statements.ts'

export function deadReferencesIn(repository: Repository, files: readonly ReadFile[]): Finding[] {
  const tails = tailsOf(repository.paths)
  const found = files.flatMap((file) => [
    ...deadPaths(file, repository, tails),
    ...deadScripts(file, repository),
    ...deadPatterns(file, repository),
  ])
  return [...found, ...brokenLinks(repository)]
}

interface Reference {
  readonly path: string
  readonly line: number
  /** A link or an import is meant to be followed; a path in backticks is checked only if it looks like a file. */
  readonly how: 'link' | 'import' | 'mention'
}

const notMeant =
  /\b(?:e\.g\.|for example|example|such as|like|create|creates|created|creating|add a|new file|generate[sd]?|generating|output|will be|would be|name it|called|rename|renamed|delete|deleted|removed?|don'?t (?:edit|commit)|gitignored?|ignored|optional|if (?:it|present|there)|if exists|may exist|template|placeholder|convention|pattern|format)\b/i
const buildFolders =
  /^(?:\.?\/)?(?:dist|build|out|coverage|target|tmp|temp|node_modules|vendor|bin|obj|\.next|\.venv|generated|gen)\//
const exampleNames =
  /(?:^|\/)(?:path\/to|foo|bar|baz|example|examples?|my-?\w*|your-?\w*|some-?\w*|xyz|(?:[\w-]+-)?name|feature|x)(?:[./]|$)/i

/** `sprint-N`, `YYYY-MM-DD`, `000X`: a placeholder for many names. */
const standsForMany = /(?:^|[-_/.])(?:[NX]|NN+|XX+|xx+|YYYY|MM|DD)(?=[-_/.]|$)/
/** Files that are local to each developer and never committed. */
const keptLocally = /(?:^|\/)\.env|\.local\.[a-z]+$/i

function deadPaths({ file, document }: ReadFile, repository: Repository, tails: ReadonlySet<string>): Finding[] {
  const seen = new Set<string>()
  return referencesIn(document.lines, file.kind === 'claude' || file.kind === 'gemini').flatMap(
    ({ path, line, how }): Finding[] => {
      if (seen.has(path) || isAlive(path, file.path, repository.paths, tails, how)) return []
      seen.add(path)
      const message = deadReferenceText.path(file.path, path)
      return [{ kind: 'dead-reference', weight: 'problem', message, places: [{ path: file.path, line }] }]
    },
  )
}

function referencesIn(lines: readonly string[], readsImports: boolean): Reference[] {
  const found: Reference[] = []
  let isFenced = false
  let isComment = false
  lines.forEach((text, index) => {
    if (/^\s*(`{3,}|~{3,})/.test(text)) isFenced = !isFenced
    if (text.includes('<!--')) isComment = true
    if (isFenced || isComment) {
      if (text.includes('-->')) isComment = false
      return
    }
    const line = index + 1
    const outsideCode = text.replace(/`[^`]*`/g, '')
    for (const [, target] of outsideCode.matchAll(/\[[^\]]*\]\(<?([^)>\s]+)>?(?:\s+"[^"]*")?\)/g)) {
      const path = pathOfLink(target ?? '')
      if (path !== undefined) found.push({ path, line, how: 'link' })
    }
    if (readsImports) {
      for (const [, target] of outsideCode.matchAll(
        /(?:^|\s)@((?:\.{1,2}\/)?[\w./-]+\.(?:md|mdc|txt|json|ya?ml))\b/g,
      )) {
        if (target !== undefined) found.push({ path: target, line, how: 'import' })
      }
    }
    if (notMeant.test(text)) return
    for (const [, target] of text.matchAll(/`([^`\s]+)`/g)) {
      if (target !== undefined && looksLikeFile(target)) found.push({ path: target, line, how: 'mention' })
    }
  })
  return found
}

function pathOfLink(target: string): string | undefined {
  if (/^(?:[a-z][\w+.-]*:|#|\/|~|\$|<|\{)/i.test(target)) return undefined
  const path = target.replace(/[#?].*$/, '')
  try {
    return path === '' ? undefined : decodeURIComponent(path)
  } catch {
    return path
  }
}

function looksLikeFile(text: string): boolean {
  if (!/^(?:\.{1,2}\/)?[\w@.-]+(?:\/[\w@.-]+)+\.[a-z][a-z0-9]{0,5}$/i.test(text)) return false
  // A host with a path, a package of a scope, a module path with a domain.
  if (/^(?:www\.|[\w-]+\.(?:com|org|io|dev|net|ai)\/)/i.test(text) || text.startsWith('@')) return false
  const isOneOfMany = exampleNames.test(text) || standsForMany.test(text)
  return !buildFolders.test(text) && !isOneOfMany && !keptLocally.test(text)
}

function isAlive(
  path: string,
  from: string,
  paths: ReadonlySet<string>,
  tails: ReadonlySet<string>,
  how: Reference['how'],
): boolean {
  const exists = (candidate: string) => {
    const clean = candidate.replace(/\/+$/, '')
    return clean === '' || clean === '.' || paths.has(clean) || paths.has(`${clean}/`)
  }
  for (let folder = posix.dirname(from); ; folder = posix.dirname(folder)) {
    const candidate = posix.normalize(posix.join(folder, path))
    // Paths outside the repository cannot be checked from here.
    if (folder === posix.dirname(from) && candidate.startsWith('..')) return true
    if (exists(candidate)) return true
    // A link is resolved from its own folder only; mentions and imports also from the folders above it.
    if (folder === '.' || how === 'link') break
  }
  return how === 'mention' && tails.has(path.replace(/^\.\//, ''))
}

/** Every path, and every part of it that follows a slash. */
function tailsOf(paths: ReadonlySet<string>): Set<string> {
  const tails = new Set<string>()
  for (const path of paths) {
    const parts = path.replace(/\/$/, '').split('/')
    for (let start = 0; start < parts.length; start++) tails.add(parts.slice(start).join('/'))
  }
  return tails
}

function deadScripts({ file, document }: ReadFile, { scripts }: Repository): Finding[] {
  if (scripts.has('*')) return []
  const seen = new Set<string>()
  return document.lines.flatMap((text, index): Finding[] => {
    if (notMeant.test(text)) return []
    return [...text.matchAll(/\b(?:npm|pnpm|yarn|bun) run ([a-z][\w:.-]*)/gi)].flatMap(([command, script]) => {
      const name = script?.replace(/[.:]$/, '') ?? ''
      if (scripts.has(name) || seen.has(name)) return []
      seen.add(name)
      const message = deadReferenceText.script(file.path, command.replace(/[.:]$/, ''))
      return [{ kind: 'dead-reference', weight: 'problem', message, places: [{ path: file.path, line: index + 1 }] }]
    })
  })
}

/** A rule for files that do not exist has no effect. */
function deadPatterns({ file, document }: ReadFile, { paths }: Repository): Finding[] {
  const key = Object.hasOwn(patternKey, file.kind) ? patternKey[file.kind as keyof typeof patternKey] : undefined
  if (key === undefined) return []
  const patterns = document.frontMatter.fields.get(key) ?? []
  const line = document.lines.findIndex((text) => text.startsWith(`${key}:`)) + 1
  return patterns.flatMap((pattern): Finding[] => {
    const matches = matcherOf(pattern)
    const within = file.folder === '' ? '' : `${file.folder}/`
    const isUsed =
      matches === undefined || [...paths].some((path) => path.startsWith(within) && matches(path.slice(within.length)))
    if (isUsed) return []
    const message = deadReferenceText.pattern(file.path, pattern)
    return [{ kind: 'dead-reference', weight: 'problem', message, places: [{ path: file.path, line }] }]
  })
}

function brokenLinks({ files }: Repository): Finding[] {
  return files.flatMap(({ path, body }): Finding[] => {
    if (body.is !== 'stray') return []
    const message = deadReferenceText.link(path, body.why)
    return [{ kind: 'dead-reference', weight: 'problem', message, places: [{ path, line: 1 }] }]
  })
}
