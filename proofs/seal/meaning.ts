// One canonical text and one digest for one value, however it is written; another digest for any other value; and text
// with two readings is refused.

import { type Action, actionDigest, canonicalJson, type JsonValue, parseJsonStrictly } from '@assent/core'
import canonicalize from 'canonicalize'
import type { SeededRandom } from '../../test-kit/random.ts'
import { actionChanges, ambiguousTexts, randomApproved } from './changes.ts'
import { type Tally, tally } from './tally.ts'
import { misleadEngine, randomValue, respell } from './values.ts'

/** Compares our canonical form with the independent `canonicalize` package. */
export function agree(random: SeededRandom, attempts: number): Tally {
  const into = tally('as the independent library writes it')
  for (let i = 0; i < attempts; i++) {
    const value = randomValue(random, 4)
    into.tried += 1
    const text = canonicalJson(value)
    if (text !== canonicalize(value)) into.wrong += 1
    if (canonicalJson(parseJsonStrictly(text)) !== text) into.odd += 1
  }
  return into
}

export function keepDigests(random: SeededRandom, attempts: number): Tally {
  const into = tally('spelled in another way: the same digest')
  for (let i = 0; i < attempts; i++) {
    const { action } = randomApproved(random)
    const read = parseJsonStrictly(respell(action as unknown as JsonValue, random))
    into.tried += 1
    if (actionDigest(read as unknown as Action) !== actionDigest(action)) into.wrong += 1
    if (canonicalize(read) !== canonicalize(action)) into.odd += 1
  }
  return into
}

/** Run this first and with few names: an engine that has seen very many objects no longer has the bug. */
export function readNames(random: SeededRandom, attempts: number): Tally {
  const into = tally('a name that the engine mistakes: read as written')
  let mistakenByEngine = 0
  for (let i = 0; i < attempts; i++) {
    const first = `n${random.int(20)}`
    const character = String.fromCharCode(random.int(128))
    const text = `{"${first}":1,"\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}":2}`
    misleadEngine(first)
    into.tried += 1
    const isRight = (value: unknown) => canonicalize(value) === canonicalize({ [first]: 1, [character]: 2 })
    if (!isRight(parseJsonStrictly(text))) into.wrong += 1
    if (!isRight(JSON.parse(text))) mistakenByEngine += 1
  }
  console.log(`JSON.parse of this engine misread ${mistakenByEngine} of ${attempts} such names (nodejs/node#63785)`)
  return into
}

export function changeActions(random: SeededRandom, attempts: number): Tally[] {
  const classes = Object.entries(actionChanges).map(([name, change]) => ({
    change,
    tally: tally(`${name}: another digest`),
  }))
  const rounds = Math.ceil(attempts / classes.length)
  let approved = randomApproved(random)
  let approvedDigest = actionDigest(approved.action)
  for (let round = 0; round < rounds; round++) {
    if (round % 10 === 0) {
      approved = randomApproved(random)
      approvedDigest = actionDigest(approved.action)
    }
    for (const { change, tally } of classes) {
      tally.tried += 1
      if (actionDigest(change(approved, random)) === approvedDigest) tally.wrong += 1
    }
  }
  return classes.map((each) => each.tally)
}

export function refuseAmbiguous(random: SeededRandom, attempts: number): Tally[] {
  const classes = Object.entries(ambiguousTexts)
  return classes.map(([name, write]) => {
    const into = tally(`${name}: refused`)
    for (let i = 0; i < attempts / classes.length; i++) {
      const text = write(random)
      // It must be valid JSON, otherwise the refusal proves nothing.
      JSON.parse(text)
      into.tried += 1
      if (isRead(text)) into.wrong += 1
    }
    return into
  })
}

function isRead(text: string): boolean {
  try {
    parseJsonStrictly(text)
    return true
  } catch {
    return false
  }
}
