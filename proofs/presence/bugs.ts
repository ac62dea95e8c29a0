// Bugs that are planted into the checks of presence. The attacks must find each of them.
import { type Assertion, verifyAssertion } from '@assent/core'
import type { Passkeys, Store } from '@assent/store'
import type { PresenceBug } from './test-env.ts'

type Verify = Passkeys['verify']

/** Replaces the verification with one that accepts what this function makes of the signature. */
function verifying(store: Store, accepted: (assertion: Assertion, challenge: Uint8Array) => boolean, isAnyKey = false) {
  const { passkeys } = store
  const verify: Verify = async (owner, signed, challenge) => {
    const keys = await passkeys.list(owner)
    const own = keys.find(({ credentialId }) => credentialId === signed.response.credentialId)
    const key = own ?? (isAnyKey ? keys[0] : undefined)
    if (key === undefined) return { ok: false, problem: 'unknown key' }
    const { publicKey, algorithm } = key
    const { response, rpId, origin, nonce, actionDigest } = signed
    const assertion = { ...response, publicKey, algorithm, rpId, origin, nonce, actionDigest }
    if (!isAnyKey && !accepted(assertion, challenge)) return { ok: false, problem: 'invalid' }
    return { ok: true, assertion, passkey: key.id, signCount: key.signCount + 1 }
  }
  passkeys.verify = verify
}

function clientOf({ clientData }: Assertion): { challenge: string; origin: string } {
  return JSON.parse(Buffer.from(clientData, 'base64url').toString()) as { challenge: string; origin: string }
}

export const bugs: readonly PresenceBug[] = [
  { name: 'the requirement is not checked', isUnmarked: true },
  {
    name: 'any origin counts',
    plant: (store) =>
      verifying(store, (one, challenge) => verifyAssertion({ ...one, origin: clientOf(one).origin }, challenge).ok),
  },
  {
    name: 'the counter is not checked',
    plant: (store) => verifying(store, (one, challenge) => verifyAssertion(one, challenge).ok),
  },
  {
    name: 'the challenge is not compared',
    plant: (store) =>
      verifying(store, (one) => verifyAssertion(one, Buffer.from(clientOf(one).challenge, 'base64url')).ok),
  },
  { name: 'any key counts', plant: (store) => verifying(store, () => true, true) },
  {
    name: 'a further key needs no signature',
    plant: (store) => {
      const { passkeys } = store
      const [list, add] = [passkeys.list.bind(passkeys), passkeys.add.bind(passkeys)]
      passkeys.add = async ({ by: _, ...key }) => {
        if ((await list(key)).length > 0) await passkeys.reset(key)
        return add(key)
      }
      passkeys.verify = async (owner) => ({
        ok: true,
        assertion: {} as Assertion,
        passkey: (await list(owner))[0]?.id ?? '',
        signCount: 1_000_000,
      })
    },
  },
]
