// Onboarding on a new repository, called by a real client with a scripted person. Used by the tests next to it.

import { type Caller, connect, type Generation, type Person } from '../../../test-kit/mcp/in-memory.ts'
import type { ToolResultParts } from '../../../test-kit/mcp/tool-result.ts'
import { createRepository, type Fixture, type TestRepository } from './fixtures/fixture.suite.ts'
import type { OnboardingOptions } from './options.ts'
import { onboardingServer } from './test-server.suite.ts'

export type AnswerContent = Readonly<Record<string, unknown>>

export interface TestEnv extends TestRepository {
  readonly caller: Caller
  call(action: string, more?: Record<string, unknown>): Promise<ToolResultParts>
}

export interface TestEnvOptions {
  readonly generation: Generation
  /** Without a person the client cannot ask. */
  readonly person?: Person | undefined
  readonly settings?: Partial<OnboardingOptions>
  readonly nowMs?: () => number
}

export async function createTestEnv(fixture: Fixture, staging: TestEnvOptions): Promise<TestEnv> {
  const placed = await createRepository(fixture)
  return { ...placed, ...(await connectTo(placed, staging)) }
}

/** Connects another client to an existing repository. */
export async function connectTo(
  placed: TestRepository,
  { generation, person, settings, nowMs }: TestEnvOptions,
): Promise<Omit<TestEnv, keyof TestRepository> & Pick<TestRepository, 'remove'>> {
  const createServer = onboardingServer({ folder: placed.root, home: placed.home, ...settings, nowMs })
  const caller = await connect(generation, createServer, person)
  return {
    caller,
    call: (action, more = {}) => caller.call('onboarding', { action, ...more }),
    remove: async () => {
      await caller.close()
      await placed.remove()
    },
  }
}

/** Accepts every question with all boxes ticked. */
export const acceptAll: Person = ({ requestedSchema: { properties } }) => {
  const boxes = Object.entries(properties).filter(([, field]) => field.type === 'boolean')
  return { action: 'accept', content: Object.fromEntries(boxes.map(([name]) => [name, true])) }
}

export const declineAll: Person = () => ({ action: 'decline' })
export const dismissAll: Person = () => ({ action: 'cancel' })

export function answerWith(content: AnswerContent): Person {
  return () => ({ action: 'accept', content })
}
