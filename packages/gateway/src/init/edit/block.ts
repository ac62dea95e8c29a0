// A part of ours in a text that belongs to others, between two marks that a reader of Markdown does not see.

import { nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineEndOf } from './splice.ts'

const begin = '<!-- assent:begin (written by `assent init`, taken out by `assent init --undo`) -->'
const end = '<!-- assent:end -->'
const anyBegin = '<!-- assent:begin'

export function putBlock(text: string, block: string): Tried {
  const eol = lineEndOf(text)
  const ours = blockText(block, eol)
  if (text.includes(anyBegin)) {
    return text.includes(ours) ? nothing : theirs('it has a part of ours that was changed')
  }
  if (text.includes(end)) return unclear('it has the end of a part of ours and no beginning')
  const lead = text === '' || /\n\r?\n$/.test(text) ? '' : text.endsWith('\n') ? eol : eol + eol
  return { kind: 'change', splices: [{ at: text.length, out: '', in: `${lead}${ours}${eol}` }], remembered: { lead } }
}

export function takeBlock(text: string, block: string, { lead = '' }: Remembered): Tried {
  if (!text.includes(anyBegin)) return nothing
  for (const eol of ['\n', '\r\n']) {
    const ours = `${blockText(block, eol)}${eol}`
    const at = text.indexOf(ours)
    if (at === -1) continue
    const from = text.slice(0, at).endsWith(lead) ? at - lead.length : at
    return { kind: 'change', splices: [{ at: from, out: text.slice(from, at + ours.length), in: '' }], remembered: {} }
  }
  return theirs('the part of ours in it was changed since')
}

function blockText(block: string, eol: string): string {
  return [begin, ...block.trimEnd().split('\n'), end].join(eol)
}
