// Decodes the part of a host name after `xn--` (RFC 3492).

const base = 36
const tMin = 1
const tMax = 26
const skew = 38
const damp = 700
const initialBias = 72
const initialCodePoint = 128
const lastCodePoint = 0x10ffff

/** The letters behind a punycode text in lower case, or undefined when it is not one. */
export function decodePunycode(text: string): string | undefined {
  const delimiter = text.lastIndexOf('-')
  const letters = Array.from(delimiter > 0 ? text.slice(0, delimiter) : '', (letter) => letter.charCodeAt(0))
  if (letters.some((codePoint) => codePoint >= initialCodePoint)) return undefined

  let codePoint = initialCodePoint
  let position = 0
  let bias = initialBias
  let at = delimiter > 0 ? delimiter + 1 : 0
  while (at < text.length) {
    const before = position
    let weight = 1
    for (let k = base; ; k += base) {
      const digit = digitOf(text.charCodeAt(at++))
      if (digit === undefined) return undefined
      position += digit * weight
      // Far above any real position, far below where doubles lose their last bit.
      if (position > 2 ** 31) return undefined
      const threshold = Math.min(Math.max(k - bias, tMin), tMax)
      if (digit < threshold) break
      weight *= base - threshold
    }
    const count = letters.length + 1
    bias = adapt(position - before, count, before === 0)
    codePoint += Math.floor(position / count)
    position %= count
    if (codePoint > lastCodePoint || isSurrogate(codePoint)) return undefined
    letters.splice(position++, 0, codePoint)
  }
  return String.fromCodePoint(...letters)
}

/** Undefined also for NaN, the char code past the end of the text. */
function digitOf(charCode: number): number | undefined {
  if (charCode >= 0x61 && charCode <= 0x7a) return charCode - 0x61
  if (charCode >= 0x30 && charCode <= 0x39) return charCode - 0x30 + 26
  return undefined
}

function adapt(delta: number, count: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? damp : 2))
  rest += Math.floor(rest / count)
  let k = 0
  while (rest > ((base - tMin) * tMax) / 2) {
    rest = Math.floor(rest / (base - tMin))
    k += base
  }
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew))
}

function isSurrogate(codePoint: number): boolean {
  return codePoint >= 0xd800 && codePoint <= 0xdfff
}
