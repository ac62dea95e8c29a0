// The public surface of the tools. test/surface.test.ts freezes this list.

export { type Connection, connectTools } from './connect.ts'
export type { OnboardingSettings } from './onboarding/settings.ts'
export { type AssentToolsOptions, assentTools, type CreateServer } from './server.ts'
export type { Decision, WorkplaceOptions } from './workplace.ts'
