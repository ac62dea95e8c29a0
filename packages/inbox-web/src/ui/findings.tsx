// What Assent found: one finding per line, a list where the lines begin with a dash, and diffs.
//
// Not Markdown: findings contain names and messages from the repository, which must not change how they are shown.

import { Fragment } from 'react'
import { Diff, isDiff } from './diff.tsx'

export function Findings({ text }: { readonly text: string }) {
  return (
    <div className="findings">
      {partsOf(text).map((part, at) => (
        <Fragment key={at}>{drawn(part)}</Fragment>
      ))}
    </div>
  )
}

function drawn(part: string) {
  if (isDiff('', part)) return <Diff text={part} />
  const lines = part.split('\n')
  if (!lines.every((line) => line.startsWith('- '))) return <p>{part}</p>
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line.slice(2)}</li>
      ))}
    </ul>
  )
}

function partsOf(text: string): readonly string[] {
  return isDiff('', text) ? [text] : text.split(/\n{2,}/)
}
