// Text edits: an offset, the text removed there, and the text inserted instead.
//
// Everything outside a splice stays unchanged, byte for byte. A splice keeps the text it removed, so it can be reversed
// exactly as long as the result was not edited.

export interface Splice {
  /** The offset in the text before any splice was applied. */
  readonly at: number
  readonly out: string
  readonly in: string
}

/** Applies splices, which must be in order and must not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = ''
  let done = 0
  for (const splice of splices) {
    if (splice.at < done || !text.startsWith(splice.out, splice.at))
      throw new Error('The splices were made for a different text.')
    result += text.slice(done, splice.at) + splice.in
    done = splice.at + splice.out.length
  }
  return result + text.slice(done)
}

/** The splices that reverse these. */
export function inverted(splices: readonly Splice[]): Splice[] {
  let shift = 0
  return splices.map((splice) => {
    const at = splice.at + shift
    shift += splice.in.length - splice.out.length
    return { at, out: splice.in, in: splice.out }
  })
}

export function shifted(splices: readonly Splice[], by: number): Splice[] {
  return splices.map((splice) => ({ ...splice, at: splice.at + by }))
}

/** The line ending of the first line, which is used for the whole text. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** The line number of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
