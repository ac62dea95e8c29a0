// The public surface of onboarding. test/surface.test.ts freezes this list.

export type { OnboardingOptions } from './options.ts'
export { registerOnboarding } from './tool.ts'
