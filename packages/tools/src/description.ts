// What the server with the tools says of itself. Apart from the tools, so that whoever serves them can answer a client's
// first request before everything that the tools need is loaded.

import { instructions } from './instructions.ts'

export interface ToolsDescription {
  readonly info: { readonly name: string; readonly title: string; readonly version: string }
  readonly capabilities: { readonly tools: { readonly listChanged: boolean } }
  readonly instructions: string
}

export function describeTools(version: string): ToolsDescription {
  return {
    info: { name: 'assent', title: 'Assent', version },
    capabilities: { tools: { listChanged: true } },
    instructions,
  }
}
