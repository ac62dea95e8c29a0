// The public API of the tools. test/surface.test.ts keeps the list.

export { type Connection, connectTools } from './connect.ts'
export { type AdditionalTool, type AssentToolsOptions, assentTools, type CreateServer } from './server.ts'
export type { Decision, WorkplaceOptions } from './workplace/workplace.ts'
