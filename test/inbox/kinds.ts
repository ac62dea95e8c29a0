// Kinds of asks that the samples do not contain, for the checks of every card.
import { type AskDraft, checkedBlock, type Field } from '@assent/core'
import { aDeployment, aForm, twoOfUs } from '../../test-kit/gateway/sample-asks.ts'

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

/** A phase with two findings of Assent that speak against a yes. */
export function aPhase(): AskDraft {
  const options = [
    { value: 'commit_and_continue', label: 'Continue' },
    { value: 'commit_and_pause', label: 'Pause here' },
    { value: 'revise', label: 'Request changes' },
    { value: 'abort', label: 'Cancel the plan' },
  ]
  const fields: readonly Field[] = [
    { kind: 'choice', name: 'decision', title: 'Decision', required: true, options },
    { kind: 'text', name: 'revisionNotes', title: 'Revision notes', required: false },
  ]
  const checked = '- ⚠ One change is not committed: src/.\n- ⚠ No commit since the plan.'
  return withChecked('Phase 1 is done. Commit it, then choose how to continue.', checked, fields)
}

/** A diff of 200 lines that Assent computed. */
export function aLongDiff(): AskDraft {
  const lines = Array.from({ length: 97 }, (_, at) => [`-old ${at}`, `+new ${at}`]).flat()
  const head = ['2 files would change.', '', '--- a/A.md', '+++ b/A.md', '@@ -1 +1 @@']
  const checked = [...head, ...lines, ' the end'].join('\n')
  return withChecked('Approve this plan?', checked, [sure])
}

function withChecked(title: string, checked: string, fields: readonly Field[]): AskDraft {
  const draft = aForm(`${title}\n\n${checkedBlock(checked)}`, fields, agent)
  return { ...draft, question: { ...draft.question, checked } as AskDraft['question'] }
}

/** Over soon after it is raised. */
export function aShortAsk(): AskDraft {
  return aDeployment({ decideWithinMs: 1_000 })
}

/** Two people have to approve it. */
export function aSharedApproval(): AskDraft {
  return aDeployment({ approvalRule: twoOfUs, principal: 'ben' })
}
