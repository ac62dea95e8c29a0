// Sign-in codes that were used, guessed, or made for a process that is gone.

import { randomBytes } from 'node:crypto'
import { aPublicKey, fromOurPage } from '../../../test-kit/gateway/signing-browser.ts'
import { type RawReply, rawRequest } from './raw-http.ts'
import { captured } from './requests.ts'
import { type Attack, acceptance, type LoopbackScene } from './scene.ts'

export const codeUsedAgain: Attack = {
  name: 'sign-in code used again or guessed',
  run: async (scene, tally) => {
    const code = codeIn(await scene.link())
    const key = aPublicKey()
    tally.control('the code works once', (await redeem(scene, code, key)).status === 200)
    tally.refused('the code in another browser', await redeem(scene, code, aPublicKey()))
    tally.refused('the code in the same browser', await redeem(scene, code, key))
    for (let n = 0; n < (scene.isFull ? 8 : 2); n++) {
      tally.refused('a guessed code', await redeem(scene, randomBytes(32).toString('base64url'), aPublicKey()))
    }
    tally.refused('no code', await redeem(scene, '', aPublicKey()))
    tally.refused('a code of another type', await redeem(scene, { length: 43 }, aPublicKey()))
    tally.refused('the token of the session as a code', await redeem(scene, scene.person.browser.session, key))
    if (!scene.isFull) return
    const next = codeIn(await scene.link())
    tally.refused('a code without a key', await redeem(scene, next, undefined))
    const together = await Promise.all(Array.from({ length: 8 }, () => redeem(scene, next, aPublicKey())))
    const entered = together.filter(({ status }) => status === 200)
    tally.control('an unused code works', entered.length >= 1)
    for (const reply of together.filter((one) => one !== entered[0])) tally.refused('the code at once', reply)
  },
}

/** Codes and signed requests of a process whose port was then taken over. */
export const afterRestart: Attack = {
  name: 'code and requests of a process that is gone',
  run: async (scene, tally) => {
    const [code, unused] = [codeIn(await scene.link()), codeIn(await scene.link())]
    const reading = await captured(scene, 'GET', '/api/asks')
    const answering = await captured(scene, 'POST', `/api/asks/${scene.target.id}/answer`, acceptance())
    tally.control('a code works before the restart', (await redeem(scene, unused, aPublicKey())).status === 200)
    await scene.gateway.kill()
    await scene.gateway.restart()
    for (let n = 0; n < 3; n++) tally.refused('the code', await redeem(scene, code, aPublicKey()))
    tally.refused('a captured request that was never sent', await rawRequest(reading))
    tally.refused('a captured answer that was never sent', await rawRequest(answering))
    const fresh = codeIn(await scene.link())
    tally.control('a code of the new process works', (await redeem(scene, fresh, aPublicKey())).status === 200)
    const again = await rawRequest(await captured(scene, 'GET', '/api/asks').catch(() => reading))
    tally.control('the person is still signed in', again.status === 200 || (await scene.person.open()).length > 0)
  },
}

function codeIn(link: string): string {
  return new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? ''
}

function redeem({ origin, port }: LoopbackScene, code: unknown, publicKey: string | undefined): Promise<RawReply> {
  const headers = { ...fromOurPage(origin), host: new URL(origin).host }
  const body = JSON.stringify({ code, publicKey })
  return rawRequest({ port, method: 'POST', path: '/api/sign-in', headers, body })
}
