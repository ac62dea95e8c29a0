// The people of a cluster proof, who use the inbox of any replica over its HTTP API. Sometimes one of them tries to decide
// an ask of another person.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@assent/core'
import { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import type { SeededRandom } from '../../test-kit/random.ts'
import { answerOf } from './call.ts'
import type { Action, Evidence } from './evidence.ts'
import type { GatewayCluster } from './replicas.ts'

const lookEveryMs = 200
const strangerOdds = 0.05
/** Long enough for a database to be killed and restarted. */
const triesForMs = 180_000

export class People {
  readonly #gateways: GatewayCluster
  readonly #evidence: Evidence
  readonly #random: SeededRandom
  readonly #principals: readonly string[]
  /** By inbox and person. */
  readonly #browsers = new Map<string, SigningBrowser>()
  #isOver = false
  #turn = 0

  constructor(gateways: GatewayCluster, evidence: Evidence, random: SeededRandom, principals: readonly string[]) {
    this.#gateways = gateways
    this.#evidence = evidence
    this.#random = random
    this.#principals = principals
  }

  async work(): Promise<void> {
    await Promise.all(
      this.#principals.map(async (person) => {
        while (!this.#isOver) {
          const asks = (await this.look(person)) ?? []
          await sleep(asks.length > 0 ? 5 : lookEveryMs)
        }
      }),
    )
  }

  stop(): void {
    this.#isOver = true
  }

  /** A person lists their inbox at the next replica and answers the asks. Undefined if no replica replied. */
  async look(person: string): Promise<readonly string[] | undefined> {
    const asks = await this.list(person)
    for (const id of asks ?? []) {
      if (this.#random.next() < strangerOdds) await this.#trespass(person, id)
      await this.#decide(person, id, false)
    }
    return asks
  }

  /** The open asks of a person, from the next replica. Undefined if no replica replied. */
  async list(person: string): Promise<readonly string[] | undefined> {
    const response = await this.#request(person, '/api/asks')
    if (response?.status !== 200) return undefined
    const { asks } = JSON.parse(response.text) as { asks: { id: string }[] }
    return asks.map(({ id }) => id)
  }

  async #trespass(owner: string, askId: string): Promise<void> {
    const others = this.#principals.filter((one) => one !== owner)
    await this.#decide(this.#random.pick(others), askId, true)
  }

  async #decide(by: string, askId: string, isStranger: boolean): Promise<void> {
    const action: Action = this.#random.next() < 0.7 ? 'accept' : 'decline'
    // The decision id makes a retry at another replica idempotent.
    const decisionId = newId('decision', Date.now(), randomBytes)
    const giveUpAt = performance.now() + triesForMs
    while (performance.now() < giveUpAt) {
      const response = await this.#request(by, `/api/asks/${askId}/answer`, { decisionId, answer: answerOf(action) })
      if (response === undefined || response.status >= 500 || response.status === 401) {
        await sleep(20)
        continue
      }
      this.#evidence.inboxAnswers.push({ askId, decisionId, by, action, status: response.status, isStranger })
      return
    }
    this.#evidence.inboxAnswers.push({ askId, decisionId, by, action, status: 'none', isStranger })
  }

  async #request(person: string, path: string, body?: object): Promise<{ status: number; text: string } | undefined> {
    const { origins } = this.#gateways
    const origin = origins[this.#turn++ % origins.length]
    if (origin === undefined) return undefined
    try {
      const browser = this.#browsers.get(`${origin} ${person}`) ?? (await this.#signIn(origin, person))
      if (browser === undefined) return undefined
      const response = await (body === undefined ? browser.get(path) : browser.post(path, body))
      // A new process is at this address now.
      if (response.status === 401) this.#browsers.delete(`${origin} ${person}`)
      return { status: response.status, text: await response.text() }
    } catch {
      return undefined
    }
  }

  async #signIn(origin: string, person: string): Promise<SigningBrowser | undefined> {
    const link = await this.#gateways.invite(origin, person)
    if (link === undefined) return undefined
    const browser = await SigningBrowser.signIn(link, (path, init) =>
      fetch(`${origin}${path}`, { ...init, signal: AbortSignal.timeout(10_000) }),
    )
    this.#browsers.set(`${origin} ${person}`, browser)
    return browser
  }
}
