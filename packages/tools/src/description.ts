// The description that the server with the tools sends to clients. In its own module, so that a program can answer a
// client's first request before the tools and their dependencies are loaded.

import { instructionsWith } from './text/instructions.ts'

export interface ToolsDescription {
  readonly info: { readonly name: string; readonly title: string; readonly version: string }
  readonly capabilities: { readonly tools: { readonly listChanged: boolean } }
  readonly instructions: string
}

/** @param additional the instructions of tools of other packages, one line each */
export function describeTools(version: string, additional: readonly string[] = []): ToolsDescription {
  return {
    info: { name: 'assent', title: 'Assent', version },
    capabilities: { tools: { listChanged: true } },
    instructions: instructionsWith(additional),
  }
}
