// Ways to accept an ask that needs presence without the person's passkey over exactly that ask and answer.
import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import type { SeededRandom } from '../../test-kit/random.ts'
import { SoftwarePasskey } from '../../test-kit/software-passkey.ts'
import { approve, local, type PresenceEnv, register, tenant } from './test-env.ts'

/** Returns whether it succeeded. */
export type Attack = (env: PresenceEnv, random: SeededRandom) => Promise<boolean>

export const elsewhere = [
  'http://localhost:9999',
  'http://127.0.0.1:7420',
  'https://localhost:7420',
  'http://evil.localhost:7420',
]

export const attacks: Readonly<Record<string, Attack>> = {
  'the API with a session alone': async (env) => env.answer(await env.raise()),
  'the API with an invalid signature': async (env, random) => {
    const garbage = [{}, 'x', { token: 'x', response: {} }, { token: '', response: null }, []]
    return env.answer(await env.raise(), random.pick(garbage))
  },
  'the terminal inbox': async ({ terminal, raise }) => {
    const decisionId = newId('decision', Date.now(), randomBytes)
    return (await terminal.answer(local, await raise(), { decisionId, answer: approve })).ok
  },
  'an answer as a client gives it': async ({ store, raise }) => {
    const { id } = await raise()
    const answered = await store.asks.answer({ tenant, id, person: local, via: 'client', answer: approve })
    return answered.kind === 'settled'
  },
  'a signature moved to another ask': async (env) => {
    const [one, other] = [await env.raise(), await env.raise()]
    return env.answer(other, await env.sign(one))
  },
  'a signature with the token of another ask': async (env) => {
    const [one, other] = [await env.raise(), await env.raise()]
    const [{ response }, { token }] = [await env.sign(one), await env.sign(other)]
    return env.answer(other, { token, response })
  },
  'a signature that was used before': async (env) => {
    const [one, other] = [await env.raise(), await env.raise()]
    const used = await env.sign(one)
    if (!(await env.answer(one, used))) throw new Error('The person could not accept their own ask.')
    const fresh = await env.sign(other, approve, new SoftwarePasskey())
    return (await env.answer(other, used)) || env.answer(other, { token: fresh.token, response: used.response })
  },
  'another answer than the signed one': async (env, random) => {
    const ask = await env.raise()
    const signed = await env.sign(ask, random.pick([approve, { action: 'decline' }]))
    return env.answer(ask, signed, { ...approve, comment: `changed ${random.int(1_000)}` })
  },
  'a signature of another page': async (env, random) => {
    const ask = await env.raise()
    return env.answer(ask, await env.sign(ask, approve, env.key, { origin: random.pick(elsewhere) }))
  },
  'a signature for another host': async (env) => {
    const ask = await env.raise()
    return env.answer(ask, await env.sign(ask, approve, env.key, { rpId: 'evil.example' }))
  },
  'a signature without a verified person': async (env, random) => {
    const ask = await env.raise()
    return env.answer(ask, await env.sign(ask, approve, env.key, { flags: random.pick([0x00, 0x01, 0x04]) }))
  },
  'a copied key whose counter is behind': async (env, random) => {
    const ask = await env.raise()
    const [first] = await env.store.passkeys.list({ tenant, principal: local.principal })
    const counter = random.int((first?.signCount ?? 0) + 1)
    return env.answer(ask, await env.sign(ask, approve, env.key, { counter }))
  },
  'a key that the person did not register': async (env, random) => {
    const ask = await env.raise()
    const foreign = new SoftwarePasskey({ algorithm: random.pick(['ES256', 'EdDSA']) })
    const { token, response } = await env.sign(ask, approve, foreign)
    const named = { ...response, id: env.key.id, rawId: env.key.id }
    return (await env.answer(ask, { token, response })) || env.answer(ask, { token, response: named })
  },
  'another key, registered without a signature of the first': async (env) => {
    const [foreign, other] = [new SoftwarePasskey(), new SoftwarePasskey()]
    const isAdded = (await register(env.browser, foreign)) || (await register(env.browser, foreign, other))
    return isAdded
  },
  'another person with a passkey of their own': async (env) => {
    const ask = await env.raise()
    return env.answer(ask, await env.sign(ask), approve, env.other)
  },
}

/** In a process of its own, so only a few. */
export const commandAttack: Attack = async (env) => env.command(await env.raise())
