// The interface of MCP clients in tests, for both SDKs.

import type { Revision } from '../revisions.ts'
import type { Address } from './address.ts'

/** The parameters of an elicitation, as the client received them. */
export interface Elicitation {
  readonly mode?: 'form' | 'url'
  readonly message: string
  readonly requestedSchema?: {
    readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly required?: readonly string[]
  }
  readonly url?: string
  readonly elicitationId?: string
}

export interface ClientOptions {
  readonly name?: string
  /** What the person answers. */
  readonly answer?: (question: Elicitation, signal: AbortSignal) => unknown
  /** The declared capability; `none` for a client without elicitation. By default forms and links. */
  readonly elicitation?: object | 'none'
  /** The timeout of a call. */
  readonly timeoutMs?: number
  /** For the SDK 2.x client: pins another revision than 2026-07-28. */
  readonly revision?: Revision
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { readonly progress: number }) => void
  readonly resetTimeoutOnProgress?: boolean
}

export interface CallResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: boolean
  readonly _meta?: Readonly<Record<string, unknown>>
}

export interface TestClient {
  readonly revision: Revision
  call(tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallResult>
  tools(): Promise<readonly string[]>
  close(): Promise<void>
}

/** The name of a client whose calls a gateway holds as long as a person needs; those of an unknown one for 50 s. */
export const patientName = 'Visual Studio Code'

/** Loads only the SDK that the revision needs. */
export async function connectClient(revision: Revision, to: Address, options: ClientOptions = {}): Promise<TestClient> {
  const { connect } =
    revision === '2025-11-25' ? await import('./client-2025-11-25.ts') : await import('./client-2026-07-28.ts')
  return connect(to, options)
}

export function textOf({ content }: CallResult): string {
  return content.map(({ text = '' }) => text).join('\n')
}
