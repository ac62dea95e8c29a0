// What is found in policies that parse.

import type { JsonValue } from '@assent/core'
import type { PolicyTarget } from './cedar-entities.ts'
import type { PolicyPlace } from './policy-set.ts'

export interface PolicyFinding {
  /** An error makes a policy fail or match nothing for every call; a warning may be intended. */
  readonly level: 'error' | 'warning'
  readonly place: PolicyPlace
  readonly problem: string
  readonly suggestion?: string
}

/** A tool of a server. */
export interface KnownTool extends PolicyTarget {
  readonly kind: 'tools'
  readonly schema?: JsonValue
}
