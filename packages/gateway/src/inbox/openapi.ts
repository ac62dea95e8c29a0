// What the inbox's API offers, as an OpenAPI document. A test holds its paths against the routes, and its shapes against
// what the routes answer.

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
const ownHeader = { name: 'assent-inbox', in: 'header', required: true, schema: { const: '1' } }
const filters = [
  query('server', text, 'Only what this server asks.'),
  query('kind', oneOf('form', 'url', 'approval'), 'Only questions of this kind.'),
  query('cursor', text, 'The `next` of the page before.'),
  query('size', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'Asks on one page.'),
]
const signedOut = { 401: problem('Nobody is signed in.'), 403: problem('The request came from elsewhere.') }

const answers = list(oneOf('accept', 'decline', 'cancel'))
const personShape = shape({ name: text, isYou: { type: 'boolean' } })

const schemas = {
  Me: shape({ name: text, nowMs: time }),
  SignIn: shape({ way: oneOf('link', 'account'), issuer: text }, ['issuer']),
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
      quorum: shape({
        approvals: count,
        approvalsNeeded: count,
        declines: count,
        declinesNeeded: count,
        votes: list(shape({ by: personShape, action: text, via: text, atMs: time, comment: text }, ['comment'])),
      }),
      answers,
      state: {
        type: 'object',
        required: ['kind'],
        properties: { kind: oneOf('open', 'settled', 'expired', 'withdrawn') },
      },
    },
    ['quorum'],
  ),
  AskPage: shape({ asks: list(refer('Ask')), next: text, nowMs: time }, ['next']),
  OneAsk: shape({ ask: refer('Ask'), nowMs: time }),
  Answer: shape({
    decisionId: { type: 'string', pattern: '^[\\w-]{16,64}$', description: 'The same id again is the same answer.' },
    answer: shape({ action: oneOf('accept', 'decline', 'cancel'), content: { type: 'object' }, comment: text }, [
      'content',
      'comment',
    ]),
  }),
  Answered: shape({ result: oneOf('settled', 'counted'), ask: refer('Ask'), nowMs: time }),
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
      properties: { kind: oneOf('whole', 'broken', 'too-long'), checkedAtMs: time },
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
      tools: list(shape({ server: text, tool: text, approved: count, declined: count, other: count }, ['tool'])),
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
      summary: 'Turn the code of a sign-in link into a session cookie.',
      parameters: [ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: shape({ code: text }) } } },
      responses: { 204: { description: 'Signed in.' }, 429: problem('Signed in too often.'), ...signedOut },
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
  '/api/history': {
    get: {
      summary: 'What has ended, newest first.',
      parameters: [
        ...filters,
        query(
          'outcome',
          oneOf('accepted', 'declined', 'cancelled', 'expired', 'withdrawn', 'unseen', 'undeliverable'),
          'Only what ended like this.',
        ),
      ],
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
  '/api/openapi.json': {
    get: { summary: 'This document.', responses: { 200: json('OpenAPI 3.1.', { type: 'object' }), ...signedOut } },
  },
}

export const openApi: {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
  readonly info: { readonly title: string; readonly version: string }
} = { openapi: '3.1.0', info: { title: 'The inbox of Assent', version: '1' }, paths, components: { schemas } }
