// Calls one program on each generation: records its result, its effects and its questions.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import {
  type AssentSettings,
  createAssent,
  type DurableStore,
  type Interaction,
  type McpHandler,
  verifyReceipt,
} from '@assent/sdk'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { contextOf, type Round, roundOf } from '../../test-kit/mcp/rounds-2026-07-28.ts'
import { type Modes, pushingContext, serverOf } from './2025-11-25.ts'
import { answerTo } from './person.ts'
import { codeOf, interpret, type Program, type Variation } from './program.ts'

export interface Called {
  /** The result, or the error message. */
  readonly outcome: string
  /** Effects by name, with their counts. */
  readonly effects: ReadonlyMap<string, number>
  readonly asked: readonly string[]
}

/** A state of the server, with the answers that the client sent back with it. */
export interface Left {
  readonly state: string
  readonly answers: Readonly<Record<string, unknown>>
}

export interface Setting {
  readonly program: Program
  readonly modes: Modes | undefined
  readonly keys: NonNullable<AssentSettings['keys']>
  /** Of each question: short if the person does not answer, otherwise longer than the machine ever pauses. */
  readonly waitMs: number
  readonly store?: DurableStore
  /** Who calls. */
  readonly sub?: string
  /** How each run of the handler differs, on 2026-07-28. */
  readonly vary?: (run: number) => Variation
  /** Registered with `assent.tool`, with a schema that generates a value, on 2026-07-28. */
  readonly isTool?: boolean
  /** What the handler gets instead of the real interaction: a planted fault. */
  readonly plant?: (interaction: Interaction) => Interaction
}

/** Warnings and rejections that handlers ignore are part of the programs. */
const log = false

/** Shared, because creating keys takes longer than running a handler. */
const { privateKey, publicKey: signingPublicKey } = generateKeyPairSync('ed25519')
const signing = { keyId: 'proof', privateKey }
export const caller = { tool: 'tool', sub: 'ann', args: { env: 'test' } }
export type Caller = typeof caller

export class Effects {
  readonly counts = new Map<string, number>()
  /** Questions that were sent and steps that ran, in any run. */
  readonly journalled = new Set<string>()
  /** Gates that ran, and how many of their handlers got a receipt. */
  readonly receipts = { due: 0, valid: 0 }
  /** What the current run has reached. */
  current = new Set<string>()

  /** Work that ran after an approval that its handler does not await, and how much of it before the answer. */
  readonly meanwhile = { ran: 0, early: 0 }
  readonly #answered = new Set<string>()
  #unawaited = new Set<string>()

  startRun(): void {
    this.current = new Set()
    this.#unawaited = new Set()
  }

  unawaited(name: string): void {
    this.#unawaited.add(name)
  }

  answered(name: string): void {
    this.#answered.add(name)
  }

  ran(name: string): void {
    this.journalled.add(name)
  }

  reached(name: string): void {
    this.current.add(name)
  }

  receipt(receipt: unknown): void {
    if (typeof receipt === 'string' && verifyReceipt(receipt, signingPublicKey).ok) this.receipts.valid += 1
  }

  done(name: string): void {
    if (this.#unawaited.size > 0) this.meanwhile.ran += 1
    if ([...this.#unawaited].some((approval) => !this.#answered.has(approval))) this.meanwhile.early += 1
    if (name.startsWith('g')) this.receipts.due += 1
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  get total(): number {
    let sum = 0
    for (const count of this.counts.values()) sum += count
    return sum
  }
}

export async function call20251125({
  program,
  modes,
  keys,
  waitMs,
  store,
  sub = caller.sub,
}: Setting): Promise<Called> {
  const effects = new Effects()
  const asked: string[] = []
  const { interactive } = createAssent({
    keys,
    signing,
    log,
    waitMs,
    unseenAfterMs: 0,
    ...(store === undefined ? {} : { store }),
  })
  const handler = (_: object, interaction: Interaction) => interpret(program, interaction, effects)
  const wrapped = interactive<[object], unknown, unknown>(handler, { name: caller.tool, server: serverOf(modes) })
  const result = await settled(wrapped(caller.args, pushingContext(program, asked, sub)))
  return { outcome: outcomeOf(result), effects: effects.counts, asked }
}

/** A server of revision 2026-07-28 with one program, and a client that can misuse its states. */
export class Served {
  readonly effects: Effects = new Effects()
  readonly left: Left[] = []
  readonly asked: string[] = []
  readonly #setting: Setting
  readonly #asTool = new Map<string, McpHandler<[object], unknown, unknown>>()
  readonly #assent: ReturnType<typeof createAssent>
  #nowMs = Date.UTC(2026, 6, 28, 12)
  #runs = 0

  constructor(setting: Setting) {
    this.#setting = setting
    const { keys, waitMs, store } = setting
    const nowMs = () => this.#nowMs
    this.#assent = createAssent({
      keys,
      signing,
      log,
      waitMs,
      unseenAfterMs: 0,
      nowMs,
      ...(store === undefined ? {} : { store }),
    })
  }

  /** Calls as a normal client does, to the end. */
  async call(): Promise<Called> {
    let round = await this.round({})
    const seen = new Set<string>()
    while (typeof round !== 'string' && round.state !== undefined) {
      const answers: Record<string, unknown> = {}
      for (const [key, { message }] of Object.entries(round.questions)) {
        if (!seen.has(key)) this.asked.push(message)
        this.effects.journalled.add(nameIn(message))
        seen.add(key)
        const answer = answerTo(this.#setting.program, message)
        if (answer === undefined) continue
        answers[key] = answer
        this.effects.answered(nameIn(message))
      }
      // None of these is answered; the client retries after the deadline.
      if (Object.keys(answers).length === 0) this.#nowMs += this.#setting.waitMs
      const left = { state: round.state, answers }
      this.left.push(left)
      round = await this.round(left)
    }
    return { outcome: outcomeOf(round), effects: new Map(this.effects.counts), asked: this.asked }
  }

  /** One round, with any person and any answers. */
  async round(left: Partial<Left>, by: Partial<Caller> = {}): Promise<Round | string> {
    const { sub: own = caller.sub, modes: elicitation = null } = this.#setting
    const { tool, sub, args } = { ...caller, sub: own, ...by }
    return settled(this.#wrapped(tool)(args, contextOf({ ...left, sub, elicitation })))
  }

  #run(interaction: Interaction): Promise<string> {
    const { program, vary, plant } = this.#setting
    this.#runs += 1
    this.effects.startRun()
    return interpret(program, plant?.(interaction) ?? interaction, this.effects, vary?.(this.#runs))
  }

  #wrapped(tool: string): McpHandler<[object], unknown, unknown> {
    let wrapped = this.#asTool.get(tool)
    if (wrapped === undefined) {
      const handler = (_: object, interaction: Interaction) => this.#run(interaction)
      wrapped =
        this.#setting.isTool === true
          ? registered(this.#assent, tool, handler)
          : this.#assent.interactive<[object], unknown, unknown>(handler, { name: tool })
      this.#asTool.set(tool, wrapped)
    }
    return wrapped
  }
}

const inputSchema = z.looseObject({ id: z.string().default(() => randomUUID()) })

/** Called as SDK 2.x does: the schema parses the arguments in every round. */
function registered(
  assent: ReturnType<typeof createAssent>,
  name: string,
  handler: (_: object, interaction: Interaction) => Promise<string>,
): McpHandler<[object], unknown, unknown> {
  const server = new McpServer({ name: 'proof', version: '1.0.0' })
  const tool = assent.tool(server, name, { inputSchema }, handler)
  const run = tool.handler as (args: unknown, context: unknown) => Promise<unknown>
  return async (args, context) => {
    const parsed = await (tool.inputSchema as typeof inputSchema)['~standard'].validate(args)
    if (parsed.issues !== undefined) throw new Error('The arguments do not fit.')
    return run(parsed.value, context)
  }
}

/** The name of the node that asked; an approval shows it in its first line. */
function nameIn(message: string): string {
  return message.split('\n', 1)[0]?.replace(/^Approve: /, '') ?? ''
}

async function settled(result: Promise<unknown>): Promise<Round | string> {
  try {
    return roundOf(await result)
  } catch (error) {
    return `threw ${codeOf(error)}`
  }
}

export function outcomeOf(round: Round | string): string {
  if (typeof round === 'string') return round
  if (round.state !== undefined) return 'asks'
  return round.code === undefined ? round.text : `${round.code}: ${round.text}`
}
