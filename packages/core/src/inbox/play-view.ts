// What the playground's API says: a server's tools, and what came of running one. Types alone.
//
// As everywhere in the inbox, what a server wrote has been made safe to show; names that go back exactly are not drawn.

import type { FieldView } from './view.ts'

/** `GET /api/play` */
export interface PlayView {
  readonly server: string
  /** The command or address that it was started with, as the person typed it. */
  readonly target: string
  readonly tools: readonly PlayToolView[]
  readonly nowMs: number
}

export interface PlayToolView {
  /** Goes back exactly; never drawn. */
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly fields: readonly PlayFieldView[]
  /** Its input schema, as JSON that can be read. */
  readonly schema: string
}

/** What no widget can express is written as JSON. */
export interface JsonFieldView {
  readonly kind: 'json'
  readonly name: string
  readonly label: string
  readonly help?: string
  readonly required: boolean
}

export type PlayFieldView = FieldView | JsonFieldView

/** The body of `POST /api/play/runs`. */
export interface PlayBody {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** `GET /api/play/runs/{id}` */
export interface PlayRunView {
  readonly id: string
  readonly tool: string
  readonly startedAtMs: number
  /** What the server said on the way. */
  readonly steps: readonly { readonly atMs: number; readonly text: string }[]
  readonly state:
    | { readonly kind: 'running' }
    | { readonly kind: 'stopped'; readonly atMs: number }
    | { readonly kind: 'failed'; readonly atMs: number; readonly problem: string }
    | {
        readonly kind: 'finished'
        readonly atMs: number
        /** The tool says itself that it failed. */
        readonly isError: boolean
        readonly texts: readonly string[]
        readonly structured?: string
        readonly json: string
      }
  readonly nowMs: number
}
