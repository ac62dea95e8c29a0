// Types of the playground's API: a server's tools, and the result of running one.
//
// As everywhere in the inbox, text from a server is already safe to show; names that are sent back unchanged are not shown.

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
  /** Sent back unchanged; never shown. */
  readonly name: string
  readonly label: string
  readonly description?: string
  readonly fields: readonly PlayFieldView[]
  /** Its input schema as formatted JSON. */
  readonly schema: string
}

/** A field without a suitable widget, entered as JSON. */
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
  /** The run that this page started before: it is stopped if it still runs. */
  readonly replaces?: string
}

/** `GET /api/play/runs/{id}` */
export interface PlayRunView {
  readonly id: string
  readonly tool: string
  readonly startedAtMs: number
  /** Progress and log messages of the server. */
  readonly steps: readonly { readonly atMs: number; readonly text: string }[]
  readonly state:
    | { readonly kind: 'running' }
    | { readonly kind: 'stopped'; readonly atMs: number }
    | { readonly kind: 'failed'; readonly atMs: number; readonly problem: string }
    | {
        readonly kind: 'finished'
        readonly atMs: number
        /** The tool reported an error. */
        readonly isError: boolean
        readonly texts: readonly string[]
        readonly structured?: string
        readonly json: string
      }
  readonly nowMs: number
}
