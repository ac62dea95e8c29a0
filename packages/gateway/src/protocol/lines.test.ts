import { expect, test } from 'vitest'
import { protocolLimits } from '../limits.ts'
import { Lines } from './lines.ts'
import { Utf8Stream } from './utf8.ts'

function linesIn(...chunks: Buffer[]): (string | undefined)[] {
  const lines = new Lines()
  return [...chunks.flatMap((chunk) => lines.push(chunk)), lines.rest()]
}

test('[LIMIT-3] lines end with LF only, wherever the stream is split', () => {
  const bytes = Buffer.from('{"a":"\u2028\r\u0085"}\r\n\ngrün \u{1f30d}\nlast')
  const whole = ['{"a":"\u2028\r\u0085"}', '', 'grün \u{1f30d}', 'last']

  for (let at = 0; at <= bytes.length; at++) {
    expect(linesIn(bytes.subarray(0, at), bytes.subarray(at))).toEqual(whole)
  }
})

test('[LIMIT-2] a line that is not UTF-8 is rejected, and the lines around it are not', () => {
  const bad = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]

  for (const bytes of bad) {
    expect(linesIn(Buffer.from([0x61, 0x0a, ...bytes, 0x0a, 0x62]))).toEqual(['a', undefined, 'b'])
  }
})

test('[LIMIT-3] a line that is too long is discarded as it arrives', () => {
  const lines = new Lines()
  const piece = Buffer.alloc(protocolLimits.messageBytes / 4, 'x')
  for (let i = 0; i < 40; i++) expect(lines.push(piece)).toEqual([])

  expect(lines.bytesTooMany).toBe(9 * protocolLimits.messageBytes)
  expect(lines.push(Buffer.from('"id":7}\nnext\n'))).toEqual([undefined, 'next'])
  expect(lines.takeTooLong()).toEqual([{ head: 'x'.repeat(256), tail: `${'x'.repeat(249)}"id":7}` }])
  expect(lines.takeTooLong()).toEqual([])
})

test('[LIMIT-3] a line that is one byte too long is detected even when it arrives in one chunk with its end', () => {
  const [fitting, long] = [protocolLimits.messageBytes, protocolLimits.messageBytes + 1].map((bytes) => {
    const lines = new Lines()
    lines.push(Buffer.from(`${'x'.repeat(bytes)}\nnext\n`))
    return lines.takeTooLong().length
  })

  expect([fitting, long]).toEqual([0, 1])
})

test('[LIMIT-2] a stream is decoded as UTF-8 wherever it is split, and an invalid byte ends it', () => {
  const bytes = Buffer.from('aé→\u{1f30d}')
  for (let at = 0; at <= bytes.length; at++) {
    const stream = new Utf8Stream()
    expect([stream.push(bytes.subarray(0, at)), stream.push(bytes.subarray(at))].join('')).toBe('aé→\u{1f30d}')
  }
  for (const bad of [[0x80], [0xc3, 0x28], [0xf0, 0x9f, 0x28, 0x28], [0xfe, 0xff]]) {
    const stream = new Utf8Stream()
    expect([stream.push(Buffer.from(bad)), stream.push(Buffer.from('aaaa'))]).toContain(undefined)
  }
})
