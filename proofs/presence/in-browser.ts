// Signatures that a real browser makes: those of the person are accepted, and those of other pages are not.
import type { Ask, PresenceBody, PresenceStartView } from '@assent/core'
import type { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { elsewhere } from './attacks.ts'
import { BrowserPasskey } from './browser-passkey.ts'
import { approve, origin, type PresenceEnv, register } from './test-env.ts'

const ann = { principal: 'ann', groups: [] } as const

export interface InBrowser {
  /** Accepts of the person that were refused. */
  readonly refused: number
  /** Attempts with a signature that the browser made, and those that it did not make at all. */
  readonly signed: number
  readonly unsigned: number
  readonly succeeded: readonly string[]
}

export async function inBrowser(
  env: PresenceEnv,
  random: SeededRandom,
  { accepts, attempts }: { readonly accepts: number; readonly attempts: number },
): Promise<InBrowser> {
  const passkey = await BrowserPasskey.open()
  try {
    const browser = await env.signIn(ann)
    if (!(await register(browser, passkey))) throw new Error('The passkey of the browser could not be added.')
    let refused = 0
    for (let time = 0; time < accepts; time++) {
      const ask = await raise(env)
      const { token, request } = await start(browser, ask)
      const isAccepted = await answered(env, browser, ask, token, await passkey.get(request, origin))
      if (!isAccepted) refused++
    }
    const succeeded: string[] = []
    let signed = 0
    for (let time = 0; time < attempts; time++) {
      const ask = await raise(env)
      const { token, request } = await start(browser, ask)
      const isElsewhere = time % 4 !== 0
      const page = isElsewhere ? random.pick(elsewhere) : origin
      // A page of an attacker can leave out what the inbox requires; without the person, the authenticator says so.
      await passkey.verify(isElsewhere)
      const response = await passkey.get({ ...request, userVerification: 'discouraged' }, page)
      await passkey.verify(true)
      if (response === undefined) continue
      signed++
      if (await answered(env, browser, ask, token, response))
        succeeded.push(isElsewhere ? `in a browser, on ${page}` : 'in a browser, without a verified person')
    }
    return { refused, signed, unsigned: attempts - signed, succeeded }
  } finally {
    await passkey.close()
  }
}

function raise(env: PresenceEnv): Promise<Ask> {
  const approvalRule = { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 } as const
  return env.raise({ principal: ann.principal, approvalRule })
}

async function start(browser: SigningBrowser, { id }: Ask): Promise<PresenceStartView> {
  return (await (await browser.post(`/api/asks/${id}/presence`, { answer: approve })).json()) as PresenceStartView
}

function answered(env: PresenceEnv, browser: SigningBrowser, ask: Ask, token: string, response: unknown) {
  return env.answer(ask, { token, response } as PresenceBody, approve, browser)
}
