// The public surface of the sdk, grouped by what one came to do. test/surface.test.ts freezes this list.

// write a handler that asks
export { type Assent, createAssent, interactive } from './assent.ts'
export type { Interactive, InteractiveOptions, ToolText, Wrapped } from './interactive.ts'
export type { Interaction, Step } from './interaction.ts'
export type { AssentSettings } from './world.ts'

// ask
export type { Ask, Commented } from './ask/ask.ts'
export type { NumberSettings, Suggests, TextSettings } from './ask/describe.ts'
export type { AnswersOf, Asked, Fields, StandardSchema } from './ask/form-of.ts'
export type { Harmless, Plain, Risk } from './ask/how.ts'
export { field } from './ask/field.ts'

// be handed a secret
export { type GatewaySecretsOptions, gatewaySecrets } from './secrets/gateway-secrets.ts'
export type { SecretRequest, Secrets } from './secrets/secrets.ts'

// ask by yielding
export type { YieldedAsk } from './generator/asks.ts'
export type { Yielded } from './generator/yielded.ts'
export { type AskingGenerator, type Yielding, yielding } from './generator/yielding.ts'

// run only what was approved
export type { ToolDefinition } from './gate/action.ts'
export type { Gate, GateAction, Gated } from './gate/gate.ts'
export { type ReceiptStatement, type VerifiedReceipt, verifyReceipt } from '@assent/core'

// put questions somewhere else
export type { AskKind, Description } from './ask/describe.ts'
export type { How } from './ask/how.ts'
export { onSurface } from './surface-context.ts'
export type { Putting, Reply, Surface } from './surface.ts'

// keep promises across restarts and replicas
export type {
  DurableAsks,
  DurableGrants,
  DurableSteps,
  DurableStore,
  StepClaim,
  StepKey,
} from './durable.ts'

// limits, errors
export { AssentError, type ErrorCode, isAssentError } from '@assent/core'
export { sdkLimits } from './limits.ts'
