// What the tests of the checkpoints share: a repository, a connected client, and a person who answers in order.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { type Caller, connect, type Generation, type Person } from '../../../../test-kit/mcp/in-memory.ts'
import { aFolder, aRepository, type Repository } from '../git/repository.suite.ts'
import { type AssentToolsOptions, assentTools } from '../server.ts'

const toRemove: (() => unknown)[] = []

export function removeAfterEach(): void {
  afterEach(async () => {
    for (const remove of toRemove.splice(0).reverse()) await remove()
  })
}

export function repository(): Repository {
  const one = aRepository()
  toRemove.push(one.remove)
  one.commit('begin')
  return one
}

export function folder(): string {
  const one = aFolder()
  toRemove.push(one.remove)
  return one.folder
}

export async function connectTools(
  generation: Generation,
  options: AssentToolsOptions,
  person?: Person,
): Promise<Caller> {
  const caller = await connect(generation, assentTools(options), person)
  toRemove.push(caller.close)
  return caller
}

/** A person who gives these answers one after the other; a function runs before its answer is given. */
export function answersInOrder(...answers: (object | (() => object))[]): Person {
  return () => {
    const next = answers.shift()
    if (next === undefined) throw new Error('The person was asked more often than expected.')
    return typeof next === 'function' ? next() : next
  }
}

export function accept(content: object, comment?: string): object {
  return { action: 'accept', content, ...written(comment) }
}

export function decline(comment?: string): object {
  return { action: 'decline', ...written(comment) }
}

export function dismiss(comment?: string): object {
  return { action: 'cancel', ...written(comment) }
}

/** As a gateway of ours sends it. */
function written(comment: string | undefined): object {
  return comment === undefined ? {} : { _meta: { 'assent/answer': { comment } } }
}

/** The lines of a completion file, without their times. */
export function decisionsIn(root: string, task: string): string[] {
  return readFileSync(join(root, 'plans', `${task}-complete.md`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.slice(2).replace(/^\S+ /, ''))
}

export const aPlan = { planSummary: 'Add search\n\n1. index\n2. page', phaseCount: 2, openQuestions: ['Which engine?'] }
export const aPhase = {
  phaseNumber: 1,
  phaseSummary: 'The index is there.',
  filesModified: ['a.ts'],
  commitMessage: 'feat: index',
}
export const anEnd = { completionSummary: 'Search works.', phasesCompleted: 2 }
