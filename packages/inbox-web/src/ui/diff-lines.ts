// The kinds of the lines of a unified diff.
//
// Inside a hunk the first character alone decides, for as many lines as its header counts: a removed line `-- x` is written
// `--- x`, and must not be drawn as the name of a file.

export type LineKind = 'added' | 'removed' | 'place' | 'file' | undefined

export function diffLines(text: string): readonly { readonly text: string; readonly kind: LineKind }[] {
  const lines = text.split('\n')
  let [oldLeft, newLeft] = [0, 0]
  return lines.map((line, at) => {
    if (oldLeft > 0 || newLeft > 0) {
      const kind = changeOf(line)
      if (kind !== 'added' && !line.startsWith('\\')) oldLeft -= 1
      if (kind !== 'removed' && !line.startsWith('\\')) newLeft -= 1
      return { text: line, kind }
    }
    if (line.startsWith('@@')) {
      const place = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
      ;[oldLeft, newLeft] = place === null ? [0, 0] : [Number(place[1] ?? 1), Number(place[2] ?? 1)]
      return { text: line, kind: 'place' }
    }
    return { text: line, kind: isFileName(lines, at) ? 'file' : changeOf(line) }
  })
}

function isFileName(lines: readonly string[], at: number): boolean {
  const begins = (index: number, sign: string) => lines[index]?.startsWith(sign) === true
  if (begins(at, 'diff ')) return true
  const first = begins(at, '--- ') ? at : at - 1
  return begins(first, '--- ') && begins(first + 1, '+++ ') && begins(first + 2, '@@')
}

function changeOf(line: string): 'added' | 'removed' | undefined {
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : undefined
}
