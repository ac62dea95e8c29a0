// Asks and messages for tests of the channels.

import { randomBytes } from 'node:crypto'
import {
  type Approver,
  type Ask,
  type AskDraft,
  type AskState,
  actionDigest,
  createKeyRing,
  newId,
  raise,
  toolDefinitionDigest,
} from '@assent/core'
import { openSqlite, type Store } from '@assent/store'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import type { AskMessage } from './ask-message.ts'

export const tenant = 'acme'
export const minuteMs = 60_000
export const noon: number = Date.UTC(2026, 6, 28, 12)
/** A text that appears in no message. */
export const privateText = 'pr1vate-argument'
export const inboxUrl = 'https://assent.example.com/'

/** The approval of a deployment by these approvers. */
export function anApprovalBy(
  approvers: readonly Approver[],
  changes: Partial<AskDraft> & { title?: string } = {},
): AskDraft {
  const { title = 'Roll out', ...others } = changes
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
    arguments: { env: privateText },
  }
  return {
    tenant,
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'requester',
    question: { kind: 'approval', title, action, digest: actionDigest(action), claim: `Because of ${privateText}` },
    approvalRule: { approvers, excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 60 * minuteMs,
    useWithinMs: 5 * minuteMs,
    ...others,
  }
}

/** The ask as it was raised at noon. */
export function anAsk(changes: Parameters<typeof anApprovalBy>[1] = {}, state: AskState = { kind: 'open' }): Ask {
  return { ...raise(anApprovalBy(['group:ops'], changes), noon), state }
}

export function aMessage(changes: Partial<AskMessage> = {}): AskMessage {
  const askId = `ask_${'0'.repeat(36)}`
  return {
    id: `${askId}_raised`,
    kind: 'raised',
    askId,
    title: 'Roll out',
    link: `https://assent.example.com/asks/${askId}`,
    atMs: noon,
    expiresAtMs: noon + 60 * minuteMs,
    ...changes,
  }
}

/** Titles that try to leave their place in some format. */
export const hostileTitles: readonly string[] = [
  '<!channel> <https://evil.example|Approve here> & more',
  '*bold* _it_ [Approve](https://evil.example) ![x](https://evil.example/i.png)',
  '"}],"text":"replaced',
  'https://evil.example/approve www.evil.example mailto:a@evil.example',
  'assent-login.example.com/x it@evil.example',
  '${7*7} {{x}} @{triggerBody()}',
  'x\r\nBcc: victim@evil.example\r\n\r\nbody',
  '<at>everyone</at> <script>alert(1)</script>',
]

export async function aStore(clock: () => number): Promise<Store> {
  const keys = createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(5) }])
  const store = await openSqlite(':memory:', { keys, clock })
  closeAfterTest(() => store.close())
  return store
}
