// `skip`: a person decides that this repository stays as it is. An agent cannot decide that for them.

import { boolean, form, optional, text } from '@assent/core'
import type { Interaction } from '@assent/sdk'
import { askPerson, mustBeAsAsked, type PreparedDecision } from '../ask-person.ts'
import { onboardingLimits } from '../limits.ts'
import { refusal } from '../onboarding-error.ts'
import type { Site } from '../site.ts'
import { alone } from '../state/lock.ts'
import { readState, saveState } from '../state/state.ts'
import { skipText } from '../text/questions.ts'
import { refusals } from '../text/refusals.ts'
import { skipResults } from '../text/results.ts'
import { wholeQuestion } from '../whole-question.ts'
import { refuseInterrupted } from './interrupted.ts'
import { canceled, commentOf, declined, done, type Outcome } from './outcome.ts'

const skipForm = form({
  confirmed: boolean({ title: skipText.field }),
  reason: optional(text({ title: skipText.comment, maxLength: onboardingLimits.commentChars })),
})

const partForm = form({ confirmed: boolean({ title: skipText.field }) })

export async function runSkip(site: Site, interaction: Interaction): Promise<Outcome> {
  const answered = await askPerson(site, interaction, {
    action: 'skip',
    form: skipForm,
    partForm,
    prepare: () => prepareSkip(site),
  })
  if (answered.kind === 'canceled') return canceled('skip', answered)
  const reason = commentOf(answered, 'reason')
  if (answered.kind === 'declined' || answered.content.confirmed !== true) {
    return declined(skipResults.notConfirmed, reason)
  }
  const { asked } = answered
  const state = await alone(site, 'skip', async () => {
    const now = await readState(site)
    mustBeAsAsked(now, asked, 'skip')
    const said = reason === '' ? undefined : reason
    return saveState(site, now, { status: 'skipped', proposal: undefined, approval: undefined, said })
  })
  return done(state.status, skipResults.skipped, { reason })
}

async function prepareSkip(site: Site): Promise<PreparedDecision> {
  const state = await readState(site)
  refuseInterrupted(state)
  if (state.status === 'skipped') {
    throw refusal('NOTHING_TO_DO', refusals.alreadySkipped)
  }
  const questions = wholeQuestion(skipForm, {
    head: skipText.question,
    body: [skipText.effect(state.status.replaceAll('_', ' '))],
    note: '',
    tooMuch: skipText.tooMuch,
  })
  return { questions, revision: state.revision }
}
