// The person of a generated handler: answers each question as its program defines, on either generation.

import { kinds, refusedBy } from './kinds.ts'
import { editedNote, type Program } from './program.ts'

/** `undefined`: no answer. */
export function answerTo(program: Program, message: string): unknown {
  const id = Number(/q(\d+)/.exec(message)?.[1])
  const node = program.endings.get(id)
  if (node === undefined) throw new Error(`The program has no question "${message}".`)
  const isEdit = message.includes('You approve the result afterwards.')
  if (isEdit && node.ending !== 'silent') return { action: 'accept', content: { note: editedNote } }
  const fits = node.kind === 'gate' ? { decision: 'approve' } : kinds[node.kind].fits
  const doesNot = node.kind === 'gate' ? { decision: 'Approve' } : kinds[node.kind].doesNot
  switch (node.ending) {
    case 'accept':
      return fits === undefined ? { action: 'accept' } : { action: 'accept', content: fits }
    case 'decline':
    case 'cancel':
      return { action: node.ending }
    case 'bare':
      return { action: 'accept' }
    case 'invalid':
      return { action: 'accept', content: doesNot }
    case 'unknown':
      return { action: 'yes', content: fits }
    case 'garbage':
      return ['accept']
    case 'refused':
      return { action: 'accept', content: node.kind === 'gate' ? doesNot : refusedBy(node.kind) }
    case 'corrected':
      return {
        action: 'accept',
        content: isAskedAgain(message) || node.kind === 'gate' ? fits : refusedBy(node.kind),
      }
    case 'silent':
      return undefined
  }
}

/** Whether the question says that the last answer was not accepted. */
export function isAskedAgain(message: string): boolean {
  return message.includes('Your last answer was not accepted: ')
}

/** Whether the program's person really approved this gate; `u` is one that its handler does not await. */
export function isApproved(program: Program, gate: string): boolean {
  return program.endings.get(Number(/[gu](\d+)/.exec(gate)?.[1]))?.ending === 'accept'
}
