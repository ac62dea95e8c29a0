// The action that an approval of a call covers: exactly what is sent to the server.

import type { Action } from '@assent/core'
import { objectAt } from '../../protocol/messages.ts'
import type { Call } from '../model.ts'
import { namedIn } from '../names.ts'

/** @param call with the server's own name of the target */
export function actionOf(
  server: string,
  { method, params }: Pick<Call, 'method' | 'params'>,
  definitionDigest: string,
): Action {
  const { kind, name } = namedIn(method, params) ?? { kind: 'tool', name: '' }
  const action = { server, tool: name, definitionDigest, arguments: objectAt(params, 'arguments') ?? {} }
  return kind === 'tool' ? action : { ...action, kind }
}
