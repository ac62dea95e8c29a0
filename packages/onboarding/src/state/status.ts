// The statuses of onboarding.

export const statuses = [
  'not_started',
  'analyzed',
  'proposed',
  'approved',
  'completed',
  'skipped',
  'rejected',
  'rolled_back',
] as const
export type Status = (typeof statuses)[number]
