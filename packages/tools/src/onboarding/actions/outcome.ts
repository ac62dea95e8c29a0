// What an action came to, before it is told to a client.

import type { Status } from '../state/state.ts'

export type Outcome =
  | {
      readonly kind: 'done'
      readonly status: Status
      readonly message: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'declined'; readonly message: string; readonly comment: string }
  | { readonly kind: 'canceled'; readonly message: string }

export function done(status: Status, message: string, data: Readonly<Record<string, unknown>> = {}): Outcome {
  return { kind: 'done', status, message, data }
}

export function canceled(action: string, why: string): Outcome {
  return { kind: 'canceled', message: `${why} That counts as no; ${action} changed nothing.` }
}

export function commentOf(content: Readonly<Record<string, unknown>>, name: string): string {
  const value = content[name]
  return typeof value === 'string' ? value.trim() : ''
}
