// The public surface of the tools. test/surface.test.ts freezes this list.

export { type AssentToolsOptions, assentTools, type CreateServer } from './server.ts'
export type { Decision, WorkplaceOptions } from './workplace.ts'
