// Messages between the grid and its client processes.

import type { Address } from '../test-kit/mcp/address.ts'
import type { Mode, Release } from './question.ts'

export type Generation = '2025' | '2026'

/** How the person behind a call behaves. */
export type Behaviour =
  | 'accepts'
  | 'declines'
  | 'cancels'
  /** Accepts with content that does not match the form. URL mode has no content: there the action is unknown. */
  | 'sends invalid content'
  /** Accepts without content, as real clients do with forms that they cannot show. */
  | 'accepts without content'
  | 'sends an unknown action'
  /** Their client fails and sends an error instead of an answer. */
  | 'fails'
  | 'never answers'
  | 'answers too late'
  /** Accepts after the `release` command. */
  | 'waits for release'

export interface Call {
  readonly connection: string
  readonly release: Release
  readonly via: 'tool' | 'prompt' | 'resource'
  /** The name of the tool or prompt as this connection sees it. */
  readonly name: string
  readonly behaviour: Behaviour
  readonly delayMs?: number
}

/** How a connection differs from the usual one. */
export interface ConnectionOptions {
  /** Opens with this revision. */
  readonly revision?: string
  /** Declares no URL mode. */
  readonly formOnly?: boolean
}

export type Command =
  | { readonly do: 'connect'; readonly connection: string; readonly to: Address; readonly options: ConnectionOptions }
  | { readonly do: 'call'; readonly call: Call }
  | { readonly do: 'release'; readonly callId: string }
  | { readonly do: 'disconnect'; readonly connection: string }

/** A question as the client received it. */
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
