// A block of ours in a shared Markdown file, between two HTML comments that are not rendered.

import { blockMarkers, editText } from '../text/files.ts'
import { nothing, type Remembered, type Tried, theirs, unclear } from './change.ts'
import { lineEndOf } from './splice.ts'

const { begin, anyBegin, end } = blockMarkers

export function putBlock(text: string, block: string): Tried {
  const eol = lineEndOf(text)
  const ours = blockText(block, eol)
  if (text.includes(anyBegin)) {
    return text.includes(ours) ? nothing : theirs(editText.blockDiffers)
  }
  if (text.includes(end)) return unclear(editText.endWithoutBegin)
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
  return theirs(editText.blockChanged)
}

function blockText(block: string, eol: string): string {
  return [begin, ...block.trimEnd().split('\n'), end].join(eol)
}
