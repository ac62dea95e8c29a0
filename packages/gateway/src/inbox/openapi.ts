// What the inbox's API offers, as an OpenAPI document. A test holds its paths against the routes, and its shapes against
// what the routes answer.

import { namedOutcomes } from '@assent/core'

const text = { type: 'string' } as const
const time = { type: 'integer', description: 'Milliseconds since 1970.' } as const
const count = { type: 'integer', minimum: 0 } as const
const list = (items: object) => ({ type: 'array', items })
const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const shape = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})
const oneOf = (...values: readonly string[]) => ({ type: 'string', enum: values })

const json = (description: string, schema: object) => ({ description, content: { 'application/json': { schema } } })
const problem = (description: string) => json(description, refer('Problem'))
const query = (name: string, schema: object, description: string) => ({ name, in: 'query', schema, description })
const id = { name: 'id', in: 'path', required: true, schema: text }
const page = { ...id, name: 'page' }
const ownHeader = { name: 'assent-inbox', in: 'header', required: true, schema: { const: '1' } }
const filters = [
  query('server', text, 'Only what this server asks.'),
  query('kind', oneOf('form', 'url', 'approval'), 'Only questions of this kind.'),
  query('cursor', text, 'The `next` of the page before.'),
  query('size', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Asks on one page.'),
]
const browserKey = {
  type: 'string',
  description: 'Over http: an ECDSA key on P-256, as an uncompressed point in base64url.',
} as const
const signedOut = {
  401: problem('Nobody is signed in, or the request is not signed as it must be.'),
  403: problem('The request came from elsewhere.'),
}

const answers = list(oneOf('accept', 'decline', 'cancel'))
const personShape = shape({ name: text, isYou: { type: 'boolean' } })

const schemas = {
  Me: shape({ name: text, hasPlayground: { type: 'boolean' }, nowMs: time }, ['hasPlayground']),
  SignIn: shape({ way: oneOf('link', 'account'), issuer: text }, ['issuer']),
  SignedIn: shape({ session: text, listenerSecret: text }),
  Nonce: shape({ nonce: text, proof: text }),
  Listener: shape({ instance: text, origin: text, proofs: list(text) }),
  LoginStart: shape({ url: text }),
  Ask: shape(
    {
      id: text,
      headline: text,
      asker: shape({ server: text, tool: text, origin: text, touches: text, undo: oneOf('possible', 'impossible') }, [
        'tool',
        'origin',
        'touches',
        'undo',
      ]),
      onBehalfOf: personShape,
      question: { type: 'object', required: ['kind'], properties: { kind: oneOf('form', 'url', 'approval') } },
      raisedAtMs: time,
      decideByMs: time,
      mayEndEarlier: { type: 'boolean' },
      callerSeenAtMs: time,
      quorum: shape({
        approvals: count,
        approvalsNeeded: count,
        declines: count,
        declinesNeeded: count,
        votes: list(shape({ by: personShape, action: text, via: text, atMs: time, comment: text }, ['comment'])),
      }),
      answers,
      commentReaches: oneOf('asker', 'audit-log'),
      commentField: text,
      askedAgain: text,
      state: {
        type: 'object',
        required: ['kind'],
        properties: { kind: oneOf('open', 'settled', 'expired', 'withdrawn') },
      },
    },
    ['quorum', 'commentField', 'askedAgain', 'mayEndEarlier', 'callerSeenAtMs'],
  ),
  AskPage: shape({ asks: list(refer('Ask')), next: text, nowMs: time }, ['next']),
  OneAsk: shape({ ask: refer('Ask'), nowMs: time }),
  Answer: shape(
    {
      decisionId: { type: 'string', pattern: '^[\\w-]{16,64}$', description: 'The same id again is the same answer.' },
      answer: shape({ action: oneOf('accept', 'decline', 'cancel'), content: { type: 'object' }, comment: text }, [
        'content',
        'comment',
      ]),
      confirmed: {
        type: 'boolean',
        description: 'Sends an answer that was refused with the code looks-secret all the same.',
      },
    },
    ['confirmed'],
  ),
  HandOver: shape({
    decisionId: { type: 'string', pattern: '^[\\w-]{16,64}$', description: 'The same id again is the same answer.' },
    sealed: shape({ enc: text, ct: text }),
  }),
  Answered: shape({ result: oneOf('settled', 'counted'), ask: refer('Ask'), nowMs: time }),
  Play: shape({
    server: text,
    target: text,
    tools: list(
      shape({ name: text, label: text, description: text, fields: list({ type: 'object' }), schema: text }, [
        'description',
      ]),
    ),
    nowMs: time,
  }),
  PlayBody: shape({ tool: text, arguments: { type: 'object' } }),
  PlayRun: shape({
    id: text,
    tool: text,
    startedAtMs: time,
    steps: list(shape({ atMs: time, text })),
    state: {
      type: 'object',
      required: ['kind'],
      properties: { kind: oneOf('running', 'stopped', 'failed', 'finished') },
    },
    nowMs: time,
  }),
  Proof: shape({
    format: { const: 'assent audit proof v1' },
    tenant: text,
    ask: text,
    entries: list(
      shape({
        tenant: text,
        seq: count,
        atMs: time,
        kind: text,
        subject: text,
        digest: text,
        body: text,
        hash: text,
        previousHash: text,
      }),
    ),
    chain: {
      type: 'object',
      required: ['kind', 'checkedAtMs'],
      properties: { kind: oneOf('whole', 'broken', 'mismatch', 'too-long'), checkedAtMs: time },
    },
    nowMs: time,
  }),
  Figures: shape(
    {
      nowMs: time,
      sinceMs: time,
      counted: count,
      complete: { type: 'boolean' },
      outcomes: list(shape({ outcome: text, count })),
      waits: list(shape({ underMs: time, count }, ['underMs'])),
      medianMs: { type: 'integer' },
      yes: count,
      no: count,
      tools: list(
        shape({ server: text, tool: text, yes: count, no: count, answered: count, unanswered: count }, ['tool']),
      ),
    },
    ['medianMs'],
  ),
  Problem: shape(
    {
      code: text,
      message: text,
      issues: list(shape({ field: text, message: text })),
      ask: refer('Ask'),
      nowMs: time,
    },
    ['issues', 'ask', 'nowMs'],
  ),
}

const paths = {
  '/api/sign-in': {
    get: {
      summary: 'How people sign in here. Anyone may ask.',
      responses: { 200: json('By link, or with an account at an issuer.', refer('SignIn')), ...signedOut },
    },
    post: {
      summary:
        'Turn the code of a sign-in link into a session: of a cookie over https, of the key of this browser over http.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shape({ code: text, publicKey: browserKey }, ['publicKey']) } },
      },
      responses: {
        200: json('Signed in, with the key of this browser.', refer('SignedIn')),
        204: { description: 'Signed in, with a cookie.' },
        400: problem('Over http: no key.'),
        413: problem('Too large.'),
        429: problem('Signed in too often.'),
        ...signedOut,
      },
    },
  },
  '/api/sign-in/start': {
    post: {
      summary: 'Begin to sign in with an account: where to go, and a cookie for the way back.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shape({ to: text }, ['to']) } },
      },
      responses: {
        200: json('Where to go.', refer('LoginStart')),
        404: problem('Here people sign in by link.'),
        503: problem('The issuer cannot be reached.'),
        ...signedOut,
      },
    },
  },
  '/sign-in/callback': {
    get: {
      summary: 'Where the issuer sends people back to. Only the browser that began can finish.',
      responses: {
        303: { description: 'Signed in, or to the page that explains why not.' },
        404: problem('Here people sign in by link.'),
        403: problem('The request came from elsewhere.'),
      },
    },
  },
  '/api/nonce': {
    get: {
      summary:
        'Over http: the nonce to sign next, and the proof that this is the listener that the browser signed in at.',
      parameters: [
        query('challenge', text, 'Random, 22 to 64 characters of base64url.'),
        { name: 'assent-session', in: 'header', required: true, schema: text },
      ],
      responses: { 200: json('The nonce.', refer('Nonce')), 404: problem('Here a cookie is used.'), ...signedOut },
    },
  },
  '/api/listener': {
    get: {
      summary: 'Over http: proves to other processes of the same installation that this is their inbox.',
      parameters: [query('challenge', text, 'Random, 22 to 64 characters of base64url.')],
      responses: {
        200: json('The proofs.', refer('Listener')),
        404: problem('It has nothing to prove itself with.'),
        403: problem('The request came from elsewhere.'),
      },
    },
  },
  '/api/sign-out': {
    post: {
      summary: 'End the session.',
      parameters: [ownHeader],
      responses: { 204: { description: 'Signed out.' }, ...signedOut },
    },
  },
  '/api/me': {
    get: { summary: 'Who is signed in.', responses: { 200: json('You.', refer('Me')), ...signedOut } },
  },
  '/api/asks': {
    get: {
      summary: 'What waits for your answer, newest first.',
      parameters: filters,
      responses: { 200: json('A page.', refer('AskPage')), 400: problem('A filter is wrong.'), ...signedOut },
    },
  },
  '/api/asks/{id}': {
    get: {
      summary: 'One ask. Reading decides nothing.',
      parameters: [id],
      responses: {
        200: json('The ask.', refer('OneAsk')),
        404: problem('There is none, or it is not yours.'),
        ...signedOut,
      },
    },
  },
  '/api/asks/{id}/proof': {
    get: {
      summary: 'What the record says about one ask, to be checked elsewhere: assent audit verify --proof.',
      parameters: [id, query('download', text, 'Given, the browser keeps it as a file.')],
      responses: {
        200: json('The proof.', refer('Proof')),
        404: problem('There is none, or it is not yours.'),
        ...signedOut,
      },
    },
  },
  '/api/asks/{id}/answer': {
    post: {
      summary: 'Approve, decline or dismiss.',
      parameters: [id, ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('Answer') } } },
      responses: {
        200: json('It counted.', refer('Answered')),
        400: problem('No answer at all.'),
        404: problem('There is none, or it is not yours.'),
        409: problem('Too late, or answered before; the message says who, how and when.'),
        413: problem('Too large.'),
        422: problem('What was filled in does not fit. The ask stays open.'),
        ...signedOut,
      },
    },
  },
  '/api/secrets/{page}': {
    get: {
      summary: 'What a page for a secret asks: its ask.',
      parameters: [page],
      responses: {
        200: json('The ask.', refer('OneAsk')),
        404: problem('There is none, or it is not yours.'),
        ...signedOut,
      },
    },
    post: {
      summary: 'Hand a secret over, encrypted for the asking server. To decline, answer the ask.',
      parameters: [page, ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('HandOver') } } },
      responses: {
        200: json('It was handed over.', refer('Answered')),
        400: problem('It is not encrypted, or not as pages do it.'),
        404: problem('There is none, or it is not yours.'),
        409: problem('Too late, or handed over before.'),
        413: problem('Too large.'),
        ...signedOut,
      },
    },
  },
  '/api/history': {
    get: {
      summary: 'What has ended, newest first.',
      parameters: [...filters, query('outcome', oneOf(...namedOutcomes), 'Only what ended like this.')],
      responses: { 200: json('A page.', refer('AskPage')), 400: problem('A filter is wrong.'), ...signedOut },
    },
  },
  '/api/figures': {
    get: {
      summary: 'How asks ended and how long people took.',
      parameters: [query('days', { type: 'integer', minimum: 1, maximum: 365, default: 30 }, 'How far back.')],
      responses: { 200: json('The figures.', refer('Figures')), 400: problem('Too far back.'), ...signedOut },
    },
  },
  '/api/changes': {
    get: {
      summary: 'What happens to your asks, as it happens.',
      description: 'Events `ask`, `now` and `anew`. Come back with `Last-Event-ID` to be told what was missed.',
      responses: {
        200: { description: 'Server-sent events.', content: { 'text/event-stream': { schema: text } } },
        429: problem('Too many pages follow at once.'),
        ...signedOut,
      },
    },
  },
  '/api/play': {
    get: {
      summary: 'The tools of the server that `assent play` was started with.',
      responses: { 200: json('The server.', refer('Play')), 404: problem('This is no playground.'), ...signedOut },
    },
  },
  '/api/play/runs': {
    post: {
      summary: 'Run a tool. Its questions are ordinary asks.',
      parameters: [ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('PlayBody') } } },
      responses: {
        200: json('It runs.', refer('PlayRun')),
        400: problem('No tool, or no arguments.'),
        404: problem('This is no playground.'),
        429: problem('Too much runs already.'),
        ...signedOut,
      },
    },
  },
  '/api/play/runs/{id}': {
    get: {
      summary: 'What came of a run so far.',
      parameters: [id],
      responses: { 200: json('The run.', refer('PlayRun')), 404: problem('There is none.'), ...signedOut },
    },
  },
  '/api/play/runs/{id}/stop': {
    post: {
      summary: 'Stop a run.',
      parameters: [id, ownHeader],
      responses: { 200: json('The run.', refer('PlayRun')), 404: problem('There is none.'), ...signedOut },
    },
  },
  '/api/openapi.json': {
    get: {
      summary: 'This document. Anyone may read it.',
      responses: { 200: json('OpenAPI 3.1.', { type: 'object' }) },
    },
  },
}

export const openApi: {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
  readonly info: { readonly title: string; readonly version: string }
} = { openapi: '3.1.0', info: { title: 'The inbox of Assent', version: '1' }, paths, components: { schemas } }
