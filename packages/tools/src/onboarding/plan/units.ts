// The pieces of a text that are moved as one: an introduction with its list, a command with the sentence above it.

import { type Block, normalised } from '../analysis/markdown.ts'

export interface Unit {
  readonly blocks: readonly Block[]
}

export function unitsOf(blocks: readonly Block[]): Unit[] {
  const units: Block[][] = []
  for (const block of blocks) {
    const open = units.at(-1)
    if (open !== undefined && belongsTo(open, block)) open.push(block)
    else units.push([block])
  }
  return units.map((each) => ({ blocks: each }))
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

/** Without what is known already. An introduction whose whole list is known goes with it. */
export function withoutKnown(unit: Unit, isKnown: (words: string) => boolean): Unit | undefined {
  const fresh = unit.blocks.filter((block) => !isKnown(wordsOfBlock(block)))
  if (fresh.length === 0) return undefined
  if (fresh.length === unit.blocks.length) return unit
  const [first] = unit.blocks
  const onlyIntroduction = fresh.length === 1 && fresh[0] === first && unit.blocks.length > 1
  if (onlyIntroduction) return undefined
  // A command without the sentence above it, or a step without the one before, says something else.
  const isList = unit.blocks.every((block, index) => block.kind === 'item' || index === 0)
  if (!isList || unit.blocks.some((block) => block.kind === 'item' && isNumbered(block))) return unit
  const kept = first !== undefined && introduces(first) && !fresh.includes(first) ? [first, ...fresh] : fresh
  return { blocks: kept }
}
