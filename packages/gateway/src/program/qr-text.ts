// A QR code as text for a terminal: each line has two rows of modules.

import { generate } from 'lean-qr'

/** Modules of white around the code, which scanners need. */
const quietZone = 4
/** White is drawn, black is the background: upper and lower module of one character. */
const blocks = { none: ' ', upper: '▀', lower: '▄', both: '█' } as const

/** @param isColoured with colours it is white on black in every theme; without, it needs a dark terminal */
export function qrText(text: string, isColoured: boolean): string {
  const code = generate(text)
  const isWhite = (x: number, y: number) => !code.get(x, y)
  const end = code.size + quietZone
  const lines: string[] = []
  for (let y = -quietZone; y < end; y += 2) {
    let line = ''
    for (let x = -quietZone; x < end; x++) line += blockOf(isWhite(x, y), y + 1 < end && isWhite(x, y + 1))
    lines.push(isColoured ? `\u001b[97;40m${line}\u001b[0m` : line)
  }
  return lines.join('\n')
}

function blockOf(isUpper: boolean, isLower: boolean): string {
  if (isUpper) return isLower ? blocks.both : blocks.upper
  return isLower ? blocks.lower : blocks.none
}
