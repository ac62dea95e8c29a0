// The inbox API as an OpenAPI document. The compiler checks its shapes against core's types (api-schemas.ts), a test
// checks its paths against the routes.

import { namedOutcomes } from '@assent/core'
import { refer, schemas } from './api-schemas.ts'
import { oneOf, optionalSchema, shape, textSchema, time, unchecked } from './json-schema.ts'
import { apiParts } from './openapi-parts.ts'

const { filters, id, json, ownHeader, page, problem, query, signedOut } = apiParts
const signedRemoval = { token: textSchema, response: unchecked<object>({ type: 'object' }) }
const browserKey = unchecked<string>({
  type: 'string',
  description: 'Over http: an ECDSA key on P-256, as an uncompressed point in base64url.',
})

const paths = {
  '/api/sign-in': {
    get: {
      summary: 'How people sign in here. Needs no session.',
      responses: { 200: json('By link, or with an account at an issuer.', refer('SignIn')), ...signedOut },
    },
    post: {
      summary:
        'Exchange the code of a sign-in link for a session: a cookie over https, bound to the key of this browser over http.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: shape<{ code: string; publicKey?: string }>({
              code: textSchema,
              publicKey: optionalSchema(browserKey),
            }),
          },
        },
      },
      responses: {
        200: json('Signed in with the key of this browser.', refer('SignedIn')),
        204: { description: 'Signed in with a cookie.' },
        400: problem('Over http: the key is missing.'),
        413: problem('Too large.'),
        429: problem('Too many sessions.'),
        ...signedOut,
      },
    },
  },
  '/api/sign-in/start': {
    post: {
      summary: 'Start a sign-in with an account: returns the address to open, and sets a cookie for the callback.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shape<{ to?: string }>({ to: optionalSchema(textSchema) }) } },
      },
      responses: {
        200: json('The address to open.', refer('LoginStart')),
        404: problem('People sign in by link here.'),
        503: problem('The issuer cannot be reached.'),
        ...signedOut,
      },
    },
  },
  '/api/sign-in/open': {
    post: {
      summary:
        'Open a signed-in page in the browser of the desktop where the inbox runs. Needs no session, and returns no link.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shape<{ to?: string }>({ to: optionalSchema(textSchema) }) } },
      },
      responses: {
        204: { description: 'The browser was started.' },
        404: problem('This inbox does not run at a desktop, or people sign in with an account.'),
        429: problem('Too many pages were opened.'),
        ...signedOut,
      },
    },
  },
  '/api/sign-in/skip': {
    post: {
      summary: 'Use up the code of a sign-in link that a signed-in browser opened.',
      parameters: [ownHeader],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: shape<{ code: string }>({ code: textSchema }) } },
      },
      responses: { 204: { description: 'The link no longer works.' }, ...signedOut },
    },
  },
  '/sign-in/callback': {
    get: {
      summary: 'The callback of the issuer. Only the browser that started the sign-in can complete it.',
      responses: {
        303: { description: 'Redirects to the page after signing in, or to an explanation of the failure.' },
        404: problem('People sign in by link here.'),
        403: problem('The request was not sent by a page of this inbox.'),
      },
    },
  },
  '/api/nonce': {
    get: {
      summary:
        'Over http: the next nonce to sign, and the proof that this is the listener that the browser signed in at.',
      parameters: [
        query('challenge', textSchema, 'Random, 22 to 64 characters of base64url.'),
        { name: 'assent-session', in: 'header', required: true, schema: textSchema },
      ],
      responses: { 200: json('The nonce.', refer('Nonce')), 404: problem('Sessions use a cookie here.'), ...signedOut },
    },
  },
  '/api/listener': {
    get: {
      summary: 'Over http: proves to other processes of the same installation that this is their inbox.',
      parameters: [query('challenge', textSchema, 'Random, 22 to 64 characters of base64url.')],
      responses: {
        200: json('The proofs.', refer('Listener')),
        404: problem('This listener has no key for a proof.'),
        403: problem('The request was not sent by a page of this inbox.'),
      },
    },
  },
  '/api/sign-out': {
    post: {
      summary: 'End the session. Its cookie is deleted even if the session could not be ended.',
      parameters: [ownHeader],
      responses: { 204: { description: 'Signed out.' }, ...signedOut },
    },
  },
  '/api/me': {
    get: { summary: 'Who is signed in.', responses: { 200: json('You.', refer('Me')), ...signedOut } },
  },
  '/api/agents': {
    get: {
      summary: 'How many windows with an agent use this inbox, on the machine of one person.',
      responses: {
        200: json('The count.', refer('Agents')),
        404: problem('A gateway does not count them.'),
        ...signedOut,
      },
    },
  },
  '/api/asks': {
    get: {
      summary: 'Your open asks, newest first.',
      parameters: filters,
      responses: { 200: json('A page.', refer('AskPage')), 400: problem('Invalid filter.'), ...signedOut },
    },
  },
  '/api/asks/{id}': {
    get: {
      summary: 'One ask. Reading it does not answer it.',
      parameters: [id],
      responses: {
        200: json('The ask.', refer('OneAsk')),
        404: problem('It does not exist, or it is not yours.'),
        ...signedOut,
      },
    },
  },
  '/api/asks/{id}/proof': {
    get: {
      summary: 'The audit log entries of one ask, which `assent audit verify --proof` verifies.',
      parameters: [id, query('download', textSchema, 'If present, the browser saves it as a file.')],
      responses: {
        200: json('The proof.', refer('Proof')),
        404: problem('It does not exist, or it is not yours.'),
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
        200: json('The answer was recorded.', refer('Answered')),
        400: problem('The body is not an answer.'),
        404: problem('It does not exist, or it is not yours.'),
        409: problem('Too late, or already answered; the message contains who, how and when.'),
        413: problem('Too large.'),
        422: problem('The answer is invalid, or it needs a passkey. The ask stays open.'),
        ...signedOut,
      },
    },
  },
  '/api/asks/{id}/presence': {
    post: {
      summary: 'The challenge that a passkey signs to accept this ask with exactly this answer.',
      parameters: [id, ownHeader],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: shape<{ answer: object; confirmed?: boolean }>({
              answer: unchecked({ type: 'object' }),
              confirmed: optionalSchema(unchecked<boolean>({ type: 'boolean' })),
            }),
          },
        },
      },
      responses: {
        200: json('The challenge.', refer('PresenceStart')),
        400: problem('The body is not an answer to this ask.'),
        404: problem('It does not exist, or it is not yours.'),
        413: problem('Too large.'),
        422: problem('The answer is invalid, or you have no passkey.'),
        ...signedOut,
      },
    },
  },
  '/api/passkeys': {
    get: {
      summary: 'Your passkeys, which decisions need one, and what changed lately.',
      responses: { 200: json('The passkeys.', refer('Passkeys')), ...signedOut },
    },
    post: {
      summary: 'Add a passkey. All but the first need a signature of one that you have.',
      parameters: [ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('PasskeyAdd') } } },
      responses: {
        200: json('The passkeys.', refer('Passkeys')),
        400: problem('The name is missing or too long.'),
        413: problem('Too large.'),
        ...signedOut,
      },
    },
  },
  '/api/passkeys/start': {
    post: {
      summary: 'Start adding a passkey. With accounts, the first one needs a fresh sign-in.',
      parameters: [ownHeader],
      responses: {
        200: json('What the browser needs.', refer('PasskeyAddStart')),
        429: problem('Too many passkeys.'),
        ...signedOut,
      },
    },
  },
  '/api/passkeys/authorise': {
    post: {
      summary: 'The challenge that one of your passkeys signs for a further one. It covers the new key and its name.',
      parameters: [ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('PasskeyAuthorise') } } },
      responses: {
        200: json('The challenge.', refer('PasskeyAuthorisation')),
        400: problem('The name is missing or too long.'),
        413: problem('Too large.'),
        ...signedOut,
      },
    },
  },
  '/api/passkeys/{id}/remove/start': {
    post: {
      summary: 'Start removing a passkey.',
      parameters: [id, ownHeader],
      responses: {
        200: json('The challenge that one of your passkeys signs.', refer('PasskeyRemoveStart')),
        404: problem('It does not exist, or it is not yours.'),
        ...signedOut,
      },
    },
  },
  '/api/passkeys/{id}/remove': {
    post: {
      summary: 'Remove a passkey, confirmed with one of your passkeys.',
      parameters: [id, ownHeader],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: shape<{ token: string; response: object }>(signedRemoval),
          },
        },
      },
      responses: { 200: json('The passkeys.', refer('Passkeys')), 413: problem('Too large.'), ...signedOut },
    },
  },
  '/api/secrets/{page}': {
    get: {
      summary: 'The ask of a secret page.',
      parameters: [page],
      responses: {
        200: json('The ask.', refer('OneAsk')),
        404: problem('It does not exist, or it is not yours.'),
        ...signedOut,
      },
    },
    post: {
      summary: 'Send a secret, encrypted for the asking server. To decline, answer the ask.',
      parameters: [page, ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('HandOver') } } },
      responses: {
        200: json('The secret was sent.', refer('Answered')),
        400: problem('The secret is not encrypted as required.'),
        404: problem('It does not exist, or it is not yours.'),
        409: problem('Too late, or already sent.'),
        413: problem('Too large.'),
        422: problem('It needs a passkey. The ask stays open.'),
        ...signedOut,
      },
    },
  },
  '/api/history': {
    get: {
      summary:
        'Asks that are no longer open, newest first. With filters, a page with a `next` may have fewer asks than its size, or none.',
      parameters: [
        ...filters,
        query('outcome', oneOf(...namedOutcomes), 'Only asks with this outcome.'),
        query('tool', textSchema, 'Only asks of the tool with this name.'),
        query('from', time, 'Only asks that ended at this time or later.'),
        query('until', time, 'Only asks that ended before this time.'),
      ],
      responses: { 200: json('A page.', refer('AskPage')), 400: problem('Invalid filter.'), ...signedOut },
    },
  },
  '/api/statistics': {
    get: {
      summary: 'Outcomes of asks, and how long people took to answer.',
      parameters: [
        query('days', { type: 'integer', minimum: 1, maximum: 365, default: 30 }, 'The period, in days.'),
        query(
          'zone',
          { type: 'integer', default: 0 },
          'Minutes that the reader is ahead of UTC, for the days of the trend.',
        ),
      ],
      responses: { 200: json('The statistics.', refer('Statistics')), 400: problem('Invalid period.'), ...signedOut },
    },
  },
  '/api/changes': {
    get: {
      summary: 'Changes to your asks, as a stream of events.',
      description: 'First `now`: read the lists then, also after a reconnect. Then `ask` for each change.',
      responses: {
        200: { description: 'Server-sent events.', content: { 'text/event-stream': { schema: textSchema } } },
        429: problem('Too many open streams.'),
        ...signedOut,
      },
    },
  },
  '/api/play': {
    get: {
      summary: 'The tools of the server that `assent play` was started with.',
      responses: {
        200: json('The server.', refer('Play')),
        404: problem('The playground is not enabled.'),
        ...signedOut,
      },
    },
  },
  '/api/play/runs': {
    post: {
      summary: 'Run a tool. Its questions are ordinary asks.',
      parameters: [ownHeader],
      requestBody: { required: true, content: { 'application/json': { schema: refer('PlayBody') } } },
      responses: {
        200: json('The run has started.', refer('PlayRun')),
        400: problem('The tool or its arguments are missing.'),
        404: problem('The playground is not enabled.'),
        429: problem('Too many runs at once.'),
        ...signedOut,
      },
    },
  },
  '/api/play/runs/{id}': {
    get: {
      summary: 'The state of a run.',
      parameters: [id],
      responses: { 200: json('The run.', refer('PlayRun')), 404: problem('It does not exist.'), ...signedOut },
    },
  },
  '/api/play/runs/{id}/stop': {
    post: {
      summary: 'Stop a run.',
      parameters: [id, ownHeader],
      responses: { 200: json('The run.', refer('PlayRun')), 404: problem('It does not exist.'), ...signedOut },
    },
  },
  '/api/openapi.json': {
    get: {
      summary: 'This document. Needs no session.',
      responses: { 200: json('OpenAPI 3.1.', { type: 'object' }) },
    },
  },
}

export const openApi: {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
  readonly info: { readonly title: string; readonly version: string }
} = {
  openapi: '3.1.0',
  info: { title: 'The inbox of Assent', version: '1' },
  paths,
  components: { schemas: { ...schemas } },
}
