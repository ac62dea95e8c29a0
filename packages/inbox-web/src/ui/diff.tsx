// A diff, line by line, with added and removed lines marked by colour and by their own sign.

import { diffLines } from './diff-lines.ts'

export function Diff({ text }: { readonly text: string }) {
  return (
    <pre className="diff">
      {diffLines(text).map(({ text: line, kind }, at) => (
        <span key={at} className="diff-line" data-line={kind}>
          {line === '' ? ' ' : line}
        </span>
      ))}
    </pre>
  )
}

/** Whether a block of code is a diff: it is marked as one, or it has the header of a unified diff. */
export function isDiff(language: string, text: string): boolean {
  return language === 'diff' || language === 'patch' || /^--- .*\n\+\+\+ .*\n@@ /m.test(text)
}
