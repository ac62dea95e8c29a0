// The parts of a text that are moved together: an introduction with its list, a command with the sentence above it.

import { type Block, normalised } from '../analysis/markdown.ts'

export interface Unit {
  readonly blocks: readonly Block[]
}

export function unitsOf(blocks: readonly Block[]): Unit[] {
  const units: Block[][] = []
  let isApart = false
  for (const block of blocks) {
    if (isRule(block)) {
      isApart = true
      continue
    }
    const open = units.at(-1)
    if (open !== undefined && !isApart && belongsTo(open, block)) open.push(block)
    else units.push([block])
    isApart = false
  }
  return units.map((each) => ({ blocks: each }))
}

/** A horizontal rule is not a statement. */
function isRule({ kind, lines }: Block): boolean {
  return kind !== 'fence' && lines.length === 1 && /^\s*(?:[-*_]\s*){3,}$/.test(lines[0] ?? '')
}

function belongsTo(open: readonly Block[], block: Block): boolean {
  const last = open.at(-1) as Block
  if (block.kind === 'fence') return last.kind !== 'comment'
  if (block.kind === 'item' || block.kind === 'table') {
    if (introduces(open[0] as Block)) return last.kind !== 'paragraph' || last === open[0]
    return block.kind === 'item' && isNumbered(block) && last.kind === 'item' && isNumbered(last)
  }
  return false
}

function introduces(block: Block): boolean {
  return block.kind === 'paragraph' && /[:：]\s*(?:\*\*|__)?\s*$/.test(block.lines.at(-1) ?? '')
}

function isNumbered({ lines }: Block): boolean {
  return /^\s*\d/.test(lines[0] ?? '')
}

export function textOf({ lines }: Block): string {
  return lines.join('\n')
}

export function wordsOfBlock(block: Block): string {
  return block.kind === 'fence' ? textOf(block) : normalised(textOf(block))
}

export function unitText({ blocks }: Unit): string {
  return blocks.map(textOf).join('\n')
}

/** Removes up to three leading spaces: below a list they would make the block part of its last item. */
export function unindented({ blocks }: Unit): Unit {
  return {
    blocks: blocks.map((block) => {
      const spaces = /^ */.exec(block.lines[0] ?? '')?.[0].length ?? 0
      const indent = new RegExp(`^ {0,${spaces < 4 ? spaces : 0}}`)
      return { ...block, lines: block.lines.map((line) => line.replace(indent, '')) }
    }),
  }
}

/**
 * The unit without its known blocks. Only a list loses single items; a command with the sentence above it, a table with
 * its introduction and a numbered list are removed completely or not changed.
 */
export function withoutKnown(unit: Unit, isKnown: (block: Block) => boolean): Unit | undefined {
  const fresh = unit.blocks.filter((block) => !isKnown(block))
  if (fresh.length === 0) return undefined
  const [first] = unit.blocks
  const items = unit.blocks.filter((block) => block.kind === 'item' && !isNumbered(block))
  const introduction = first !== undefined && !items.includes(first) ? [first] : []
  if (items.length === 0 || introduction.length + items.length < unit.blocks.length) return unit
  const kept = items.filter((item) => fresh.includes(item))
  return kept.length === 0 ? undefined : { blocks: [...introduction, ...kept] }
}
