// What the store keeps beside an ask, for the tests of this folder.

import type { KeyRing } from '../seal/key-ring.ts'
import type { Ask } from './ask.ts'
import { askTerms, type StoredSignatures, signAsk, signVote } from './ask-signature.ts'

/** Signatures of ours that match, as if Assent had written the row. */
export function signaturesOf(ring: KeyRing, ask: Ask): StoredSignatures {
  const terms = askTerms(ask)
  return {
    ask: signAsk(ring, terms),
    decision: ask.state.kind === 'settled' ? signVote(ring, terms, ask.state) : null,
    votes: ask.votes.map((vote) => signVote(ring, terms, vote)),
  }
}
