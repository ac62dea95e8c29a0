// The statements of the files, sentence by sentence, each with its line, its agents and its scope.

import type { InstructionFile } from '../files/discover.ts'
import type { TextDocument } from '../files/document.ts'
import { onboardingLimits } from '../limits.ts'
import { type Block, normalised, sectionsOf } from './markdown.ts'
import { isForEverything, scopeOf } from './scope.ts'

export interface Statement {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly words: string
  /** The titles above it, normalised. */
  readonly under: string
  /** The folder, and the patterns if it has any. Only statements with the same scope are compared. */
  readonly scope: string
  readonly isCommand: boolean
}

export interface ReadFile {
  readonly file: InstructionFile
  readonly document: TextDocument
}

/** Files with text; a link is left out, because its target has the text. */
export function readableFiles(files: readonly InstructionFile[]): ReadFile[] {
  return files.flatMap((file) => (file.body.is === 'text' ? [{ file, document: file.body.read.document }] : []))
}

export function statementsOf(files: readonly ReadFile[]): Statement[] {
  return files.flatMap(statementsIn).slice(0, onboardingLimits.statements)
}

function statementsIn({ file, document }: ReadFile): Statement[] {
  const scope = scopeOf(file, document)
  const scopeName = isForEverything(scope) ? file.folder : `${file.folder} ${scope.patterns.join(' ')} ${scope.when}`
  return sectionsOf(document).flatMap((section) => {
    const under = section.path.join(' > ')
    return section.blocks.flatMap((block) =>
      sentencesIn(block).map(
        ({ line, text }): Statement => ({
          path: file.path,
          line,
          text,
          words: normalised(text),
          under,
          scope: scopeName,
          isCommand: block.kind === 'fence',
        }),
      ),
    )
  })
}

const shells = new Set(['', 'sh', 'bash', 'shell', 'console', 'zsh', 'fish', 'powershell'])

/** The sentences of a block, each with its line. */
export function sentencesIn(block: Block): { line: number; text: string }[] {
  if (block.kind === 'comment' || block.kind === 'table') return []
  if (block.kind === 'fence') {
    if (!shells.has(block.language ?? '')) return []
    return block.lines
      .map((text, index) => ({ line: block.line + index, text: text.replace(/^\s*[$>]\s+/, '').trim() }))
      .slice(1, -1)
      .filter(({ text }) => text !== '' && !text.startsWith('#'))
  }
  return itemsIn(block).flatMap(({ line, text }) => split(text).map((sentence) => ({ line, text: sentence })))
}

/** Every nested list item counts separately; a paragraph over several lines counts once. */
function itemsIn(block: Block): { line: number; text: string }[] {
  const found: { line: number; text: string }[] = []
  let isFenced = false
  block.lines.forEach((line, index) => {
    if (/^\s*(`{3,}|~{3,})/.test(line)) isFenced = !isFenced
    else if (!isFenced && line.trim() !== '') {
      const item = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(line)?.[1]
      const last = found.at(-1)
      if (item !== undefined || last === undefined) found.push({ line: block.line + index, text: item ?? line.trim() })
      else last.text = `${last.text} ${line.trim()}`
    }
  })
  return found
}

function split(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+(?=[A-Z`*"])/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
}
