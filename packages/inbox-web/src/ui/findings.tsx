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

/** Paragraphs, and the diff at the end as one part. */
function partsOf(text: string): readonly string[] {
  const diffAt = text.search(/^(?:diff --git .*\n)?--- .*\n\+\+\+ .*\n@@ /m)
  if (diffAt < 0) return text.split(/\n{2,}/)
  const before = text.slice(0, diffAt).trim()
  return [...(before === '' ? [] : before.split(/\n{2,}/)), text.slice(diffAt).trimEnd()]
}
