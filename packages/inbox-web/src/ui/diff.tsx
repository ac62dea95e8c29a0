// A diff, line by line, with added and removed lines marked by colour and by their own sign.

export function Diff({ text }: { readonly text: string }) {
  return (
    <pre className="diff">
      {text.split('\n').map((line, at) => (
        <span key={at} className="diff-line" data-line={lineKind(line)}>
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

function lineKind(line: string): 'added' | 'removed' | 'place' | 'file' | undefined {
  if (line.startsWith('+++ ') || line.startsWith('--- ') || line.startsWith('diff ')) return 'file'
  if (line.startsWith('@@')) return 'place'
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : undefined
}
