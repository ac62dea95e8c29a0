// Test data: arbitrary characters, with many of those that JSON escapes.
//
// fast-check has a similar arbitrary, which takes a second to set up in every process.

import fc from 'fast-check'

const surrogates = 0x800

export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }).map((point) => String.fromCodePoint(point)),
  fc
    .integer({ min: 0, max: 0x10ffff - surrogates })
    .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + surrogates)),
)
