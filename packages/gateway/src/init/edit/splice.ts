// Small changes to a text: what is taken out where, and what is put in its place.
//
// Everything outside a splice stays as it is, byte for byte. A splice keeps what it took out, so the change can be turned
// round exactly as long as the text is still the one that it made.

export interface Splice {
  /** In the text as it was before any of the splices. */
  readonly at: number
  readonly out: string
  readonly in: string
}

/** Splices are in order and do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = ''
  let done = 0
  for (const splice of splices) {
    if (splice.at < done || !text.startsWith(splice.out, splice.at))
      throw new Error('The text is not the one to change.')
    result += text.slice(done, splice.at) + splice.in
    done = splice.at + splice.out.length
  }
  return result + text.slice(done)
}

/** The same splices for the way back. */
export function turnedRound(splices: readonly Splice[]): Splice[] {
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

/** How this text ends its lines: as its first line does. */
export function lineEndOf(text: string): '\r\n' | '\n' {
  const first = text.indexOf('\n')
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n'
}

/** The line that an offset is in, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
