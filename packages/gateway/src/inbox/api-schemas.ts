// The shapes of the inbox API as JSON Schemas, by their names in the OpenAPI document. Core's types are the source; a
// schema that does not match its type is a compile error (see json-schema.ts).

import type {
  AgentsView,
  AnswerBody,
  AnsweredView,
  AskCaller,
  AskPageView,
  AskView,
  ButtonView,
  Content,
  ContentIssue,
  HandOverBody,
  InboxProblem,
  LoginStartView,
  MeView,
  NonceView,
  OneAskView,
  PersonView,
  PlayBody,
  PlayRunView,
  PlayView,
  ProofView,
  QuorumView,
  SignedInView,
  SignInView,
  StatisticsView,
} from '@assent/core'
import {
  type JsonObject,
  type PasskeyAddBody,
  type PasskeyAddStartView,
  type PasskeyAuthoriseBody,
  type PasskeyAuthoriseView,
  type PasskeyCreationView,
  type PasskeyRemoveStartView,
  type PasskeyRequestView,
  type PasskeysView,
  type PresenceBody,
  type PresenceStartView,
  presenceSettings,
} from '@assent/core'
import {
  boolean,
  countSchema,
  integer,
  listSchema,
  oneOf,
  optionalSchema,
  type Schema,
  shape,
  textSchema,
  time,
  unchecked,
  variants,
} from './json-schema.ts'
import type { ListenerView } from './listener-proof.ts'

export interface ApiTypes {
  readonly Me: MeView
  readonly Agents: AgentsView
  readonly SignIn: SignInFields
  readonly SignedIn: SignedInView
  readonly Nonce: NonceView
  readonly Listener: ListenerView
  readonly LoginStart: LoginStartView
  readonly Ask: AskView
  readonly AskPage: AskPageView
  readonly OneAsk: OneAskView
  readonly Answer: AnswerBody
  readonly HandOver: HandOverBody
  readonly Answered: AnsweredView
  readonly PresenceStart: PresenceStartView
  readonly Passkeys: PasskeysView
  readonly PasskeyAddStart: PasskeyAddStartView
  readonly PasskeyAuthorise: PasskeyAuthoriseBody
  readonly PasskeyAuthorisation: PasskeyAuthoriseView
  readonly PasskeyAdd: PasskeyAddBody
  readonly PasskeyRemoveStart: PasskeyRemoveStartView
  readonly Play: PlayView
  readonly PlayBody: PlayBody
  readonly PlayRun: PlayRunView
  readonly Proof: ProofView
  readonly Statistics: StatisticsView
  readonly Problem: InboxProblem
}

/** The union `SignInView` as one object. */
interface SignInFields {
  readonly way: SignInView['way']
  readonly issuer?: string
  readonly canOpenTab?: boolean
}

export function refer<Name extends keyof ApiTypes>(name: Name): Schema<ApiTypes[Name]> {
  return unchecked({ $ref: `#/components/schemas/${name}` })
}

const person = shape<PersonView>({ name: textSchema, isYou: boolean })
const action = oneOf('accept', 'decline', 'cancel')
const anyObject = { type: 'object' }
const decisionId: Schema<string> = unchecked({
  type: 'string',
  pattern: '^[\\w-]{16,64}$',
  description: 'Idempotency key: an answer that is sent again with the same id is recorded once.',
})

const fromBrowser: Schema<JsonObject> = unchecked({
  type: 'object',
  description: 'What the browser returned, as PublicKeyCredential.toJSON() writes it.',
})
const presenceBody = shape<PresenceBody>({ token: textSchema, response: fromBrowser })
const passkeyRequest: Schema<PasskeyRequestView> = unchecked({
  type: 'object',
  description: 'PublicKeyCredentialRequestOptionsJSON.',
})

const answerCounts = {
  yes: countSchema,
  no: countSchema,
  answered: countSchema,
  unanswered: countSchema,
  medianMs: optionalSchema(integer),
}

export const schemas: { readonly [Name in keyof ApiTypes]: Schema<ApiTypes[Name]> } = {
  Me: shape({
    principal: textSchema,
    name: textSchema,
    hasPlayground: optionalSchema(boolean),
    knowsAgents: optionalSchema(boolean),
    nowMs: time,
  }),
  Agents: shape({ running: countSchema }),
  SignIn: shape({
    way: oneOf('link', 'account'),
    issuer: optionalSchema(textSchema),
    canOpenTab: optionalSchema(boolean),
  }),
  SignedIn: shape({ session: textSchema, listenerSecret: textSchema }),
  Nonce: shape({ nonce: textSchema, proof: textSchema }),
  Listener: shape({ instance: textSchema, origin: textSchema, proofs: listSchema(textSchema) }),
  LoginStart: shape({ url: textSchema }),
  Ask: shape({
    id: textSchema,
    headline: textSchema,
    asker: shape({
      server: textSchema,
      tool: optionalSchema(textSchema),
      isAgent: optionalSchema(unchecked<true>({ type: 'boolean' })),
      origin: optionalSchema(textSchema),
      touches: optionalSchema(textSchema),
      undo: optionalSchema(oneOf('possible', 'impossible')),
    }),
    caller: optionalSchema(
      shape<AskCaller>({
        client: optionalSchema(textSchema),
        folder: optionalSchema(textSchema),
        branch: optionalSchema(textSchema),
      }),
    ),
    onBehalfOf: person,
    question: variants(oneOf('form', 'url', 'approval')),
    raisedAtMs: time,
    decideByMs: time,
    mayEndEarlier: optionalSchema(unchecked<true>({ type: 'boolean' })),
    callerSeenAtMs: optionalSchema(time),
    quorum: optionalSchema(
      shape<QuorumView>({
        needs: textSchema,
        approvals: countSchema,
        approvalsNeeded: countSchema,
        declines: countSchema,
        declinesNeeded: countSchema,
        votes: listSchema(
          shape({ by: person, action: textSchema, via: textSchema, atMs: time, comment: optionalSchema(textSchema) }),
        ),
      }),
    ),
    answers: listSchema(action),
    buttons: listSchema(
      shape<ButtonView>({
        label: textSchema,
        shownValue: optionalSchema(textSchema),
        verdict: oneOf('yes', 'no', 'neutral'),
        key: optionalSchema(textSchema),
        isSuggested: optionalSchema(unchecked<true>({ type: 'boolean' })),
        fillsIn: optionalSchema(unchecked<true>({ type: 'boolean' })),
        answer: shape({ action, content: optionalSchema(unchecked<Content>(anyObject)) }),
      }),
    ),
    undoMs: optionalSchema(integer),
    needsPresence: optionalSchema(unchecked<true>({ type: 'boolean' })),
    commentReaches: oneOf('asker', 'audit-log'),
    commentField: optionalSchema(textSchema),
    askedAgain: optionalSchema(textSchema),
    state: variants(oneOf('open', 'settled', 'expired', 'withdrawn')),
  }),
  AskPage: shape({
    asks: listSchema(refer('Ask')),
    next: optionalSchema(textSchema),
    searchedToMs: optionalSchema(time),
    nowMs: time,
  }),
  OneAsk: shape({ ask: refer('Ask'), nowMs: time }),
  Answer: shape({
    decisionId,
    answer: shape({
      action,
      content: optionalSchema(unchecked<Readonly<Record<string, unknown>>>(anyObject)),
      comment: optionalSchema(textSchema),
    }),
    confirmed: optionalSchema(
      unchecked<boolean>({
        type: 'boolean',
        description: 'Send an answer although it was refused with the code looks-secret.',
      }),
    ),
    presence: optionalSchema(presenceBody),
  }),
  HandOver: shape({
    decisionId,
    sealed: shape({ enc: textSchema, ct: textSchema }),
    presence: optionalSchema(presenceBody),
  }),
  PresenceStart: shape({ token: textSchema, request: passkeyRequest }),
  Passkeys: shape({
    keys: listSchema(shape({ id: textSchema, name: textSchema, addedAtMs: time, lastUsedAtMs: optionalSchema(time) })),
    presence: oneOf(...presenceSettings),
    notices: listSchema(shape({ text: textSchema, atMs: time })),
    nowMs: time,
  }),
  PasskeyAddStart: shape({
    token: textSchema,
    creation: unchecked<PasskeyCreationView>({
      type: 'object',
      description: 'PublicKeyCredentialCreationOptionsJSON.',
    }),
    needsAuthorisation: optionalSchema(unchecked<true>({ const: true })),
  }),
  PasskeyAuthorise: shape({ token: textSchema, name: textSchema, credential: fromBrowser }),
  PasskeyAuthorisation: shape({ request: passkeyRequest }),
  PasskeyAdd: shape({
    token: textSchema,
    name: textSchema,
    credential: fromBrowser,
    authorisation: optionalSchema(fromBrowser),
  }),
  PasskeyRemoveStart: shape({ token: textSchema, request: passkeyRequest }),
  Answered: shape({ result: oneOf('settled', 'counted'), ask: refer('Ask'), nowMs: time }),
  Play: shape({
    server: textSchema,
    target: textSchema,
    tools: listSchema(
      shape({
        name: textSchema,
        label: textSchema,
        description: optionalSchema(textSchema),
        fields: listSchema(unchecked(anyObject)),
        schema: textSchema,
      }),
    ),
    nowMs: time,
  }),
  PlayBody: shape({ tool: textSchema, arguments: unchecked(anyObject), replaces: optionalSchema(textSchema) }),
  PlayRun: shape({
    id: textSchema,
    tool: textSchema,
    startedAtMs: time,
    steps: listSchema(shape({ atMs: time, text: textSchema })),
    state: variants(oneOf('running', 'stopped', 'failed', 'finished')),
    nowMs: time,
  }),
  Proof: shape({
    format: unchecked({ const: 'assent audit proof v2' }),
    tenant: textSchema,
    ask: textSchema,
    entries: listSchema(
      shape({
        tenant: textSchema,
        seq: countSchema,
        atMs: time,
        kind: textSchema,
        subject: textSchema,
        counter: countSchema,
        digest: textSchema,
        assertionDigest: optionalSchema(textSchema),
        salt: textSchema,
        body: textSchema,
        hash: textSchema,
        inclusion: listSchema(textSchema),
      }),
    ),
    checkpoint: textSchema,
    logKeys: listSchema(textSchema),
    chain: variants(oneOf('whole', 'broken', 'mismatch', 'too-long'), { checkedAtMs: time }),
    nowMs: time,
  }),
  Statistics: shape({
    nowMs: time,
    sinceMs: time,
    counted: countSchema,
    complete: boolean,
    outcomes: listSchema(shape({ outcome: textSchema, count: countSchema })),
    waits: listSchema(shape({ underMs: optionalSchema(time), count: countSchema })),
    medianMs: optionalSchema(integer),
    yes: countSchema,
    no: countSchema,
    tools: listSchema(shape({ server: textSchema, tool: optionalSchema(textSchema), ...answerCounts })),
    agents: listSchema(textSchema),
    projects: listSchema(textSchema),
    policies: listSchema(
      shape({
        policy: textSchema,
        isRubberStamp: optionalSchema(unchecked<true>({ type: 'boolean' })),
        ...answerCounts,
      }),
    ),
    people: listSchema(shape({ name: textSchema, ...answerCounts })),
    trend: listSchema(shape({ fromMs: time, untilMs: time, ...answerCounts })),
  }),
  Problem: shape({
    code: textSchema,
    message: textSchema,
    issues: optionalSchema(listSchema(shape<ContentIssue>({ field: textSchema, message: textSchema }))),
    ask: optionalSchema(refer('Ask')),
    nowMs: optionalSchema(time),
  }),
}
