// Records that a checkpoint ended without a decision: declined, dismissed, or not answered in time.

import { compact } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { type Advice, commentMember, type NoDecision, type OnRecord } from '../ending.ts'
import { recordText } from '../text/record.ts'
import type { Plan } from '../workplace/plan-memory.ts'
import { type Decision, recordedResult, type Workplace } from '../workplace/workplace.ts'
import { addedOf } from './decide.ts'

export interface AtCheckpoint extends Pick<Decision, 'checkpoint' | 'phase'> {
  /** What was asked about, as the subject of a sentence: "Phase 1". */
  readonly subject: string
  /** The plan it belongs to, from the stored one. */
  readonly planOf: (before: Plan | undefined) => Plan
}

export function recordingNoDecision(
  workplace: Workplace,
  { step, signal }: Pick<Interaction, 'step' | 'signal'>,
  at: AtCheckpoint,
): NonNullable<Advice['onNoDecision']> {
  return async (ending) =>
    // A call that its caller cancelled ends like a dismissed question, but no person dismissed it.
    signal.aborted ? undefined : step('keep-ending', () => keepNoDecision(workplace, at, ending))
}

async function keepNoDecision(
  workplace: Workplace,
  { subject, planOf, ...about }: AtCheckpoint,
  { status, comment }: NoDecision,
): Promise<OnRecord> {
  const root = await workplace.root()
  const before = workplace.memory.read(root)
  const plan = planOf(before)
  const decision = status === 'cancelled' ? 'dismissed' : status
  const kept = await workplace.keep(
    root,
    plan,
    { ...about, decision, ...compact({ note: comment }) },
    lineOf(subject, decision, comment),
  )
  // A question about another plan does not replace the one under way.
  if (before === undefined || before.task === plan.task) workplace.memory.write(root, kept.plan)
  return recordedResult(kept.recorded)
}

function lineOf(
  subject: string,
  decision: 'declined' | 'dismissed' | 'timed_out',
  comment: string | undefined,
): string {
  const added = addedOf({ note: '', ...commentMember(comment) })
  switch (decision) {
    case 'declined':
      return recordText.declined(subject, added)
    case 'dismissed':
      return recordText.dismissed(subject, added)
    case 'timed_out':
      return recordText.timedOut(subject)
  }
}
