// A person at the inbox of a gateway process: signed in by a link from the installed command line, over the inbox's API.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { SigningBrowser } from '../../test-kit/gateway/signing-browser.ts'
import { plainEnvironment } from './gateway-process.ts'
import type { Installed } from './installed.ts'

export interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: Readonly<Record<string, unknown>>
  readonly comment?: string
}

export interface ShownAsk {
  readonly id: string
  readonly headline: string
  readonly decideByMs: number
  readonly question: { readonly fields?: readonly ShownField[] }
  readonly state: {
    readonly kind: string
    readonly outcome?: string
    readonly what?: string
    readonly atMs?: number
    /** The server had stopped waiting when the answer arrived. */
    readonly isUndelivered?: true
  }
}

export interface ShownField {
  readonly name: string
  readonly kind: string
  readonly options?: readonly { readonly value: string }[]
}

const askedWithinMs = 120_000
const lookEveryMs = 50

export class PersonAtInbox {
  readonly browser: SigningBrowser

  private constructor(browser: SigningBrowser) {
    this.browser = browser
  }

  /** @param folder of the gateway whose inbox it is */
  static async signIn(program: Installed, folder: string): Promise<PersonAtInbox> {
    const args = ['--config', join(folder, 'assent.yaml')]
    return PersonAtInbox.#untilSignedIn(program, args, folder, plainEnvironment(folder))
  }

  /** Signs in at the inbox that the programs of one user share. */
  static async signInAlone(program: Installed, cwd: string, env: Record<string, string>): Promise<PersonAtInbox> {
    return PersonAtInbox.#untilSignedIn(program, [], cwd, env)
  }

  /** The command may find no inbox yet, or time out on a busy machine. */
  static async #untilSignedIn(
    program: Installed,
    args: readonly string[],
    cwd: string,
    env: Record<string, string>,
  ): Promise<PersonAtInbox> {
    const endsAt = performance.now() + askedWithinMs
    for (;;) {
      try {
        return await PersonAtInbox.#signedIn(program, args, cwd, env)
      } catch (error) {
        if (performance.now() > endsAt) throw error
        await sleep(lookEveryMs)
      }
    }
  }

  static async #signedIn(
    program: Installed,
    args: readonly string[],
    cwd: string,
    env: Record<string, string>,
  ): Promise<PersonAtInbox> {
    return new PersonAtInbox(await SigningBrowser.signIn(await inboxLink(program, args, cwd, env)))
  }

  async open(): Promise<readonly ShownAsk[]> {
    return this.#page('/api/asks')
  }

  async read(id: string): Promise<ShownAsk> {
    const response = await this.browser.get(`/api/asks/${id}`)
    if (!response.ok) throw new Error(`${id}: ${response.status}`)
    return ((await response.json()) as { ask: ShownAsk }).ask
  }

  /** The names of the fields of its form. */
  async fieldsOf(id: string): Promise<readonly string[]> {
    const { question } = await this.read(id)
    return question.fields?.map(({ name }) => name) ?? []
  }

  /** The open ask whose headline contains the text, as soon as it is shown. */
  async find(text: string): Promise<ShownAsk> {
    const endsAt = performance.now() + askedWithinMs
    for (;;) {
      const found = (await this.open()).find(({ headline }) => headline.includes(text))
      if (found !== undefined) return found
      if (performance.now() > endsAt) throw new Error(`The inbox shows no ask with "${text}".`)
      await sleep(lookEveryMs)
    }
  }

  /** The HTTP status: 200 when the answer counted. */
  async answer(id: string, answer: Answer): Promise<number> {
    const response = await this.browser.post(`/api/asks/${id}/answer`, { decisionId: randomUUID(), answer })
    return response.status
  }

  async #page(path: string): Promise<readonly ShownAsk[]> {
    const asks: ShownAsk[] = []
    let cursor: string | undefined
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const response = await this.browser.get(`${path}${query}`)
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      const page = (await response.json()) as { asks: ShownAsk[]; next?: string }
      asks.push(...page.asks)
      cursor = page.next
    } while (cursor !== undefined)
    return asks
  }
}

/** What `assent inbox link` prints; throws when it prints no link. */
export async function inboxLink(
  { main }: Installed,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const command = [main, 'inbox', 'link', ...args]
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd, env })
  const link = /http:\/\/\S+/.exec(stdout)?.[0]
  if (link === undefined) throw new Error(`assent inbox link printed no link: ${stdout}`)
  return link
}
