// What the grid and its client processes say to each other.

import type { Mode, Release } from './question.ts'
import type { Address } from './settings.ts'

export type Generation = '2025' | '2026'

/** How the person behind a call behaves. */
export type Manner =
  | 'accepts'
  | 'declines'
  | 'cancels'
  /** Says accept, but the content does not fit the form. In URL mode, where there is none, the action is no known one. */
  | 'misfits'
  /** Says accept without any content, as real clients do with forms they cannot draw. */
  | 'says nothing'
  | 'says nonsense'
  /** Their client breaks, and sends an error in place of an answer. */
  | 'breaks'
  | 'is silent'
  | 'comes too late'
  /** Accepts when told to. */
  | 'waits'

export interface Call {
  readonly connection: string
  readonly release: Release
  readonly via: 'tool' | 'prompt' | 'resource'
  /** The name of the tool or prompt as this connection sees it. */
  readonly name: string
  readonly manner: Manner
  readonly delayMs?: number
}

/** How a connection differs from the usual one. */
export interface Terms {
  /** Opens with this revision. */
  readonly revision?: string
  /** Declares no URL mode. */
  readonly formOnly?: boolean
}

export type Command =
  | { readonly do: 'connect'; readonly connection: string; readonly to: Address; readonly terms: Terms }
  | { readonly do: 'call'; readonly call: Call }
  | { readonly do: 'release'; readonly callId: string }
  | { readonly do: 'disconnect'; readonly connection: string }

/** A question as a client was shown it. */
export interface Shown {
  readonly connection: string
  readonly callId: string
  readonly build: string
  readonly key: string
  readonly mode: Mode
  readonly fields?: readonly string[]
  /** The keyword that carries the labels of a choice. */
  readonly labels?: string
  readonly url?: string
  readonly elicitationId?: string
}

export type Outcome =
  | { readonly kind: 'result'; readonly text: string }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly data?: unknown }

export type Report =
  | { readonly event: 'connected'; readonly connection: string; readonly revision: string }
  | { readonly event: 'failed'; readonly connection: string; readonly message: string }
  | { readonly event: 'asked'; readonly shown: Shown }
  /** A question for a call that this connection never made. */
  | { readonly event: 'strayed'; readonly connection: string; readonly callId: string }
  | { readonly event: 'completed'; readonly connection: string; readonly elicitationId: string }
  | { readonly event: 'ended'; readonly callId: string; readonly outcome: Outcome }
  | { readonly event: 'disconnected'; readonly connection: string }
