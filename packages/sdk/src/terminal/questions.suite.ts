// Questions and outcomes that the tests of the terminal share.

import { type Action, actionDigest, type Form, type Question, toolDefinitionDigest } from '@assent/core'
import type { TerminalOutcome } from './terminal.ts'

export const asks = (message: string, asked: Form): Question => ({ kind: 'form', message, form: asked })
export const accepted = (content: object): TerminalOutcome =>
  ({ kind: 'answered', answer: { action: 'accept', content } }) as TerminalOutcome

export const action: Action = {
  server: 'acme',
  tool: 'deploy',
  definitionDigest: toolDefinitionDigest({ name: 'deploy' }),
  arguments: { env: 'production', replicas: 4, version: '4', tags: ['a'] },
}
export const approval: Extract<Question, { kind: 'approval' }> = {
  kind: 'approval',
  title: 'Deploy',
  action,
  digest: actionDigest(action),
  claim: 'It is safe.',
}
