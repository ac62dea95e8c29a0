// The public surface of the sdk, grouped by task. test/surface.test.ts freezes this list.

// write a handler that asks
export { type Assent, createAssent, interactive } from './assent.ts'
export {
  type Interactive,
  type InteractiveOptions,
  isInteractive,
  type McpHandler,
  type ToolText,
} from './interactive.ts'
export type { Interaction, Step } from './interaction.ts'
export type {
  ContextOf,
  GivenOf,
  InputSchema,
  PromptConfig,
  PromptOutput,
  PromptRegistration,
  ResourceOutput,
  ResourceRegistration,
  ResourceVariables,
  ToolConfig,
  ToolOutput,
  ToolRegistration,
  ToolServer,
} from './register/types.ts'
export type { Jsonify } from './run/jsonify.ts'
export type { StepContext, StepOptions } from './ask/step.ts'
export type { AssentSettings } from './server/server-context.ts'

// ask
export type { AnswerWithComment, ApproveOptions, Ask, Elicited } from './ask/ask.ts'
export type {
  NumberOptions,
  Suggestion,
  TextOptions,
} from './ask/describe.ts'
export type { AnswersOf, FormSource, Fields, JsonFormSchema, StandardSchema } from './ask/form-source.ts'
export type { AskOptionsWithFallback, AskOptions, ConfirmOptions, Risk, Validation } from './ask/options.ts'
export { field } from './ask/field.ts'

// ask for a secret
export { type GatewaySecretsOptions, gatewaySecrets } from './secrets/gateway-secrets.ts'
export type { SecretRequest, Secrets } from './server/secrets.ts'

// ask by yielding
export type { PlainAsk } from './generator/plain-ask.ts'
export type { YieldedAsk } from './generator/yielded-ask.ts'
export type { Yielded } from './generator/yielded.ts'
export { type AskingGenerator, type GeneratorInteraction, yielding } from './generator/yielding.ts'

// run only what was approved
export { type ApprovedInteraction, type ApprovedOptions, approved } from './approved.ts'
export type { Editable } from './ask/editable.ts'
export type { JsonMembers } from './ask/json-members.ts'
export type { ToolDefinition } from './gate/action.ts'
export type { Gate, GateAction, GateContext, GateResult } from './gate/gate.ts'
export { type ReceiptStatement, type VerifiedReceipt, verifyReceipt } from '@assent/core'

// ask on another surface
export type { AskKind, Description } from './ask/describe.ts'
export type { ResolvedAskOptions } from './ask/options.ts'
export { onSurface } from './surface-context.ts'
export type { PutOptions, Reply, Surface } from './surface.ts'

// store state across restarts and replicas
export type {
  DurableAsks,
  DurableGrants,
  DurableSteps,
  DurableStore,
  StepClaim,
  StepKey,
} from './server/durable.ts'

// observe
export type {
  AnsweredEvent,
  AskedEvent,
  Hooks,
  Log,
  LogEntry,
  RefusedEvent,
  SteppedEvent,
} from './observe/hooks.ts'
export type { OpenTelemetryApi } from './observe/trace.ts'

// limits, errors
export { AssentError, type ErrorCode, isAssentError } from '@assent/core'
export { sdkLimits } from './limits.ts'
