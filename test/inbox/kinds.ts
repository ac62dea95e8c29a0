// Kinds of asks that the samples do not contain, for the checks of every card.
import { type AskDraft, checkedBlock, type Field } from '@assent/core'
import { aDeployment, aForm } from '../../test-kit/gateway/sample-asks.ts'

const agent = { asker: { server: 'agent', tool: 'ask' }, caller: { client: 'Claude Code', folder: 'notes' } }
const sure: Field = { kind: 'boolean', name: 'confirmed', title: 'Your answer', required: true }

export function aYesNo(message = 'Delete build/?'): AskDraft {
  return aForm(message, [sure], agent)
}

export function aPlan(): AskDraft {
  const options = [
    { value: 'approve', label: 'Approve' },
    { value: 'request_changes', label: 'Request changes' },
    { value: 'cancel', label: 'Cancel the plan' },
  ]
  const fields: readonly Field[] = [
    { kind: 'choice', name: 'decision', title: 'Decision', required: true, options },
    { kind: 'text', name: 'feedback', title: 'Feedback', required: false },
  ]
  const plan = '1. Add the table `notes_fts`\n2. Add `GET /search`\n\n| Phase | Risk |\n| --- | --- |\n| 1 | size |'
  return aForm(`Approve this plan of 2 phases?\n\n${plan}`, fields, agent)
}

/** A diff of 200 lines that Assent computed. */
export function aLongDiff(): AskDraft {
  const lines = Array.from({ length: 97 }, (_, at) => [`-old ${at}`, `+new ${at}`]).flat()
  const head = ['2 files would change.', '', '--- a/A.md', '+++ b/A.md', '@@ -1 +1 @@']
  const checked = [...head, ...lines, ' the end'].join('\n')
  const draft = aForm(`Approve this plan?\n\n${checkedBlock(checked)}`, [sure], agent)
  return { ...draft, question: { ...draft.question, checked } as AskDraft['question'] }
}

/** Over soon after it is raised. */
export function aShortAsk(): AskDraft {
  return aDeployment({ decideWithinMs: 1_000 })
}
