// The request with which a signed-in page of the inbox votes.

import type { JsonObject } from '@assent/core'

export const inboxOrigin = 'https://inbox.example'

export interface GivenVote {
  readonly ask: string
  /** Of the session. */
  readonly token: string
  readonly decisionId: string
  readonly answer: JsonObject
}

export function voteRequest({ ask, token, decisionId, answer }: GivenVote): Request {
  const headers = {
    host: new URL(inboxOrigin).host,
    origin: inboxOrigin,
    'assent-inbox': '1',
    'content-type': 'application/json',
    cookie: `__Host-assent=${token}`,
  }
  const body = JSON.stringify({ decisionId, answer })
  return new Request(`${inboxOrigin}/api/asks/${ask}/answer`, { method: 'POST', headers, body })
}
