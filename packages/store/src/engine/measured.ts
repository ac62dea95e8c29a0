// An engine that reports how long each step took and whether it failed.

import { compact, isAssentError } from '@assent/core'
import { DuplicateKey, type Engine, type PoolState } from './engine.ts'
import type { Params, Row, Statement, Step } from './statement.ts'

/** Requests wait for reads and writes; no request waits for background steps, which include the check that writes work. */
export type StepKind = 'read' | 'write' | 'background'

export interface MeasuredStep {
  /** The name of the statement. */
  readonly name: string
  readonly kind: StepKind
  readonly ms: number
  /** Absent if the step succeeded. `unavailable`: the database did not answer, or cannot do this now. */
  readonly failure?: 'unavailable' | 'failed'
}

export class MeasuredEngine implements Engine {
  readonly #engine: Engine
  readonly #onStep: (step: MeasuredStep) => void

  constructor(engine: Engine, onStep: (step: MeasuredStep) => void) {
    this.#engine = engine
    this.#onStep = onStep
  }

  get nowMs(): number {
    return this.#engine.nowMs
  }

  get pool(): PoolState | undefined {
    return this.#engine.pool
  }

  run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#measured(statement, kindOf(statement), () => this.#engine.run(statement, params))
  }

  runRepeatable<P extends Params, R extends Row>(
    statement: Statement<P, R>,
    params: P,
    onRepeat?: () => void,
  ): Promise<R[]> {
    return this.#measured(statement, kindOf(statement), () => this.#engine.runRepeatable(statement, params, onRepeat))
  }

  batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]> {
    return this.#measured(statement, 'background', () => this.#engine.batch(statement, list))
  }

  close(): Promise<void> {
    return this.#engine.close()
  }

  async #measured<Value>({ name }: Step, kind: StepKind, work: () => Promise<Value>): Promise<Value> {
    const startedAt = performance.now()
    const report = (failure?: MeasuredStep['failure']) => {
      const ms = performance.now() - startedAt
      this.#onStep({ name, kind, ms, ...compact({ failure }) })
    }
    try {
      const value = await work()
      report()
      return value
    } catch (error) {
      report(failureOf(error))
      throw error
    }
  }
}

export function kindOf({ parts, isBackground, isIsolated }: Step): StepKind {
  if (isBackground === true || isIsolated === true) return 'background'
  return parts.length === 1 && /^\s*select\b/.test(parts[0]?.sql ?? '') ? 'read' : 'write'
}

function failureOf(error: unknown): MeasuredStep['failure'] {
  // A key that exists already is a valid result.
  if (error instanceof DuplicateKey) return undefined
  return isAssentError(error, 'store_unavailable') ? 'unavailable' : 'failed'
}
