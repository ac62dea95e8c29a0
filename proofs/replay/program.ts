// Random handlers: sequences of asks, steps and gates, branches on answers, loops, errors, and parallel parts. And the
// interpreter that runs them, the same on both generations.
//
// A program defines how each of its questions is answered. The answers are recorded in the order of the program, so two
// runs can be compared exactly. The rule: nothing in a run depends on time or chance, unless a variation says so.

import type { Ask, Interaction } from '@assent/sdk'
import type { SeededRandom } from '../../test-kit/random.ts'
import { kinds, refusedBy } from './kinds.ts'

/** `refused`: only the schema refuses every answer. `corrected`: it refuses the first one, and the second one fits. */
export type Ending =
  | 'accept'
  | 'decline'
  | 'cancel'
  | 'bare'
  | 'invalid'
  | 'unknown'
  | 'garbage'
  | 'refused'
  | 'corrected'
  | 'silent'

export type Node =
  | {
      readonly does: 'ask'
      readonly id: number
      readonly kind: keyof typeof kinds
      readonly ending: Ending
      readonly catches: boolean
    }
  | {
      readonly does: 'step'
      readonly id: number
      readonly fails: boolean
      readonly catches: boolean
      readonly gives: number
    }
  | {
      readonly does: 'gate'
      readonly id: number
      /** The person changes an argument before they approve it. */
      readonly isEditable: boolean
      readonly ending: Ending
      readonly fails: boolean
      readonly catches: boolean
      readonly gives: number
    }
  /** An ask or a gate without an `await`. */
  | {
      readonly does: 'unawaited'
      readonly id: number
      readonly kind: keyof typeof kinds | 'gate'
      readonly ending: Ending
    }
  | { readonly does: 'branch'; readonly one: readonly Node[]; readonly other: readonly Node[] }
  | { readonly does: 'loop'; readonly times: number; readonly body: readonly Node[] }
  | { readonly does: 'together'; readonly parts: readonly (readonly Node[])[]; readonly isStrict: boolean }
  | { readonly does: 'throw'; readonly id: number }

export interface Program {
  readonly nodes: readonly Node[]
  /** The answer to the question of each node, by id. */
  readonly endings: ReadonlyMap<number, { readonly ending: Ending; readonly kind: keyof typeof kinds | 'gate' }>
}

const likely: readonly Ending[] = ['accept', 'accept', 'accept', 'accept', 'accept', 'accept', 'decline', 'cancel']
const unlikely: readonly Ending[] = ['bare', 'invalid', 'unknown', 'garbage']

export interface ProgramOptions {
  readonly allowNoAnswer: boolean
  /** Whether it asks, or has a gate, once without awaiting it. */
  readonly isUnawaited?: boolean
}

export function randomProgram(random: SeededRandom, { allowNoAnswer, isUnawaited = false }: ProgramOptions): Program {
  const endings = new Map<number, { ending: Ending; kind: keyof typeof kinds | 'gate' }>()
  let ids = 0
  const ending = (): Ending => {
    if (allowNoAnswer && random.int(3) === 0) return 'silent'
    return random.int(12) === 0 ? random.pick(unlikely) : random.pick(likely)
  }
  const ask = () => {
    const kind = random.pick(kindNames)
    const isRefused = refusedBy(kind) !== undefined && random.int(3) === 0
    return { kind, ending: isRefused ? random.pick(['refused', 'corrected'] as const) : ending() }
  }
  const block = (depth: number, most: number): Node[] => Array.from({ length: 1 + random.int(most) }, () => node(depth))
  const node = (depth: number): Node => {
    const id = ids++
    const catches = random.int(2) === 0
    const gives = random.int(results.length)
    switch (random.int(depth > 0 ? 14 : 9)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const asking = { does: 'ask', id, ...ask(), catches } as const
        endings.set(id, asking)
        return asking
      }
      case 4:
      case 5:
      case 6:
        return { does: 'step', id, fails: random.int(6) === 0, catches, gives }
      case 7: {
        const isEditable = random.int(3) === 0
        const fails = random.int(8) === 0
        const gate = { does: 'gate', id, isEditable, ending: ending(), fails, catches, gives } as const
        endings.set(id, { ending: gate.ending, kind: 'gate' })
        return gate
      }
      case 8:
        return random.int(4) === 0 ? { does: 'throw', id } : { does: 'step', id, fails: false, catches, gives }
      case 9:
      case 10:
        return { does: 'branch', one: block(depth - 1, 3), other: block(depth - 1, 3) }
      case 11:
        return { does: 'loop', times: 1 + random.int(3), body: block(depth - 1, 2) }
      default:
        return {
          does: 'together',
          parts: Array.from({ length: 2 + random.int(2) }, () => block(depth - 1, 2)),
          isStrict: catches,
        }
    }
  }
  // Unanswered questions wait in real time, so those programs are short.
  const nodes = allowNoAnswer ? block(1, 2) : block(2, 4)
  if (isUnawaited) {
    const asked = random.int(2) === 0 ? ({ kind: 'gate', ending: ending() } as const) : ask()
    const unawaited = { does: 'unawaited', id: ids++, ...asked } as const
    endings.set(unawaited.id, unawaited)
    nodes.splice(random.int(nodes.length + 1), 0, unawaited)
  }
  return { nodes, endings }
}

/** What steps and gates return: JSON, nothing, an undefined member, a date. */
const results: readonly ((id: number, suffix: string) => unknown)[] = [
  (id, suffix) => ({ step: id, suffix }),
  () => undefined,
  (id) => ({ step: id, error: undefined, list: [undefined] }),
  (id) => ({ at: new Date(id) }),
]

/** What the person writes into the argument that they may change. */
export const editedNote = 'edited'

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]

/** The real effects, recorded outside the handler: they cannot be undone. */
export interface World {
  done(name: string): void
  /** A step ran under this name. */
  ran?(name: string): void
  /** An ask or a step was reached under this name. */
  reached?(name: string): void
  /** The handler goes on without awaiting this approval. */
  unawaited?(name: string): void
  /** The work of a gate ran, and its handler got this receipt. */
  receipt?(receipt: unknown): void
}

/** How one run differs from another. */
export interface Variation {
  /** Awaited before each node of a parallel part. */
  readonly pace?: () => Promise<void>
  /** The name under which a node asks or runs. */
  readonly nameOf?: (id: number, name: string) => string
  readonly skips?: (id: number) => boolean
}

interface Running {
  readonly interaction: Interaction
  readonly world: World
  readonly variation: Variation
  readonly isParallel: boolean
}

/** Runs a program as a handler. The result contains all answers. */
export async function interpret(
  program: Program,
  interaction: Interaction,
  world: World,
  variation: Variation = {},
): Promise<string> {
  return JSON.stringify(await runBlock(program.nodes, '', { interaction, world, variation, isParallel: false }, []))
}

async function runBlock(
  nodes: readonly Node[],
  suffix: string,
  running: Running,
  answers: string[],
): Promise<string[]> {
  for (const node of nodes) {
    if (running.isParallel) await running.variation.pace?.()
    if ('id' in node && running.variation.skips?.(node.id) === true) continue
    await runNode(node, suffix, running, answers)
  }
  return answers
}

async function runNode(node: Node, suffix: string, running: Running, answers: string[]): Promise<void> {
  const { interaction, world, variation } = running
  const named = (id: number, name: string) => {
    const used = variation.nameOf?.(id, name) ?? name
    world.reached?.(used)
    return used
  }
  switch (node.does) {
    case 'ask': {
      const asked = kinds[node.kind].ask(interaction.ask as Ask, named(node.id, `q${node.id}${suffix}`))
      answers.push(await (node.catches ? inWords(asked) : asked.then(written)))
      return
    }
    case 'unawaited': {
      const title = named(node.id, `q${node.id}${suffix}`)
      if (node.kind === 'gate' || node.kind === 'approve') world.unawaited?.(title)
      if (node.kind !== 'gate') void kinds[node.kind].ask(interaction.ask as Ask, title)
      else void interaction.gate({ title, arguments: {} }, () => world.done(`u${node.id}${suffix}`))
      return
    }
    case 'step': {
      const used = named(node.id, `s${node.id}${suffix}`)
      const done = interaction.step(used, () => {
        world.done(`s${node.id}${suffix}`)
        world.ran?.(used)
        if (node.fails)
          throw Object.assign(new Error(`s${node.id}${suffix} failed`), { code: 'E_FAILED', data: [suffix] })
        return results[node.gives]?.(node.id, suffix)
      })
      answers.push(await (node.catches ? inWords(done) : done.then(written)))
      return
    }
    case 'gate': {
      const given = { id: node.id, suffix, answers: answers.length, note: 'as given' }
      const note = node.isEditable ? editedNote : given.note
      let hasRun = false
      const title = named(node.id, `q${node.id}${suffix}`)
      const editable = node.isEditable ? { editable: ['note'] } : {}
      const gated = interaction.gate({ title, arguments: given, ...editable }, (allowed) => {
        hasRun = true
        // Work with other arguments than the approved ones counts as a gate without an approval.
        world.done(allowed.note === note ? `g${node.id}${suffix}` : 'gate with other arguments')
        if (node.fails) throw new Error(`g${node.id}${suffix} failed`)
        return results[node.gives]?.(node.id, suffix)
      })
      const value = gated.then(
        (result) => {
          if (hasRun) world.receipt?.(result.receipt)
          return result.value
        },
        (error: unknown) => {
          if (hasRun) world.receipt?.((error as { receipt?: unknown }).receipt)
          throw error
        },
      )
      answers.push(await (node.catches ? inWords(value) : value.then(written)))
      return
    }
    case 'branch':
      await runBlock(isEven(answers) ? node.one : node.other, suffix, running, answers)
      return
    case 'loop':
      for (let n = 0; n < node.times; n++) await runBlock(node.body, `${suffix}.${n}`, running, answers)
      return
    case 'together': {
      const parallel = { ...running, isParallel: true }
      const parts = await Promise.allSettled(
        node.parts.map((part, n) => runBlock(part, `${suffix}-${n}`, parallel, [...answers])),
      )
      for (const part of parts) {
        if (part.status === 'fulfilled') answers.push(...part.value)
        else if (node.isStrict) throw part.reason
        else answers.push(codeOf(part.reason))
      }
      return
    }
    case 'throw':
      throw new Error(`thrown by ${node.id}${suffix}`)
  }
}

function inWords(value: Promise<unknown>): Promise<string> {
  return value.then(written, codeOf)
}

function written(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined'
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = 'code' in error ? `${error.code}: ${error.message}` : error.message
  // The same in every round, so a handler may look at it.
  const { name, code, data } = (error.cause ?? {}) as { name?: unknown; code?: unknown; data?: unknown }
  return name === undefined ? text : JSON.stringify([text, name, code, data])
}

/** A branch that depends on all answers so far. */
function isEven(answers: readonly string[]): boolean {
  let sum = 0
  for (const text of answers) for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0
  return (sum & 1) === 0
}
