// Calls an interactive handler without an MCP client: its questions go to a surface of the sdk.
//
// `await deploy({ env: 'test' }, onSurface(terminal))` runs the same handler that a server registers.

import type { Surface } from './surface.ts'

// A registered symbol, so that two copies of this package recognise each other's contexts.
const key = Symbol.for('assent.surface')

export interface SurfaceContext {
  readonly surface: Surface
  readonly signal: AbortSignal
}

// biome-ignore lint/suspicious/noExplicitAny: it stands in for the context of whichever SDK the handler was typed for
export function onSurface(surface: Surface, { signal }: { readonly signal?: AbortSignal } = {}): any {
  const context: SurfaceContext = { surface, signal: signal ?? new AbortController().signal }
  return { [key]: context }
}

export function readSurfaceContext(context: unknown): SurfaceContext | undefined {
  if (typeof context !== 'object' || context === null || !(key in context)) return undefined
  return context[key] as SurfaceContext
}
