// After a yes: the other open asks for exactly the same action, which one more press approves.

import type { AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { type Refused, useAnswerMany } from '../api/answer-many.ts'
import { useIsLost } from '../api/connection.ts'
import { cardText } from '../text/card.ts'
import { inertMs } from './inert.ts'
import { approvalOf, sameAction } from './open-filter.ts'
import { callerText, whoAsks } from './who-asks.ts'

const words = cardText.sameAction

function askerText(ask: AskView): string {
  const { caller = {}, asker, onBehalfOf } = ask
  const by = asker.isAgent === true ? '' : callerText(caller)
  return [whoAsks(ask), by === '' ? '' : words.calledBy(by), onBehalfOf.isYou ? '' : words.forPerson(onBehalfOf.name)]
    .filter((text) => text !== '')
    .join(', ')
}

export function SameAction({ ask, open }: { readonly ask: AskView; readonly open: readonly AskView[] }) {
  const many = useAnswerMany()
  const isLost = useIsLost()
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const { state } = ask
  const isYours = state.kind === 'settled' && state.by.isYou && state.answered.verdict === 'yes'
  // Those that were there when the person approved, and no ask that arrives while they read the list.
  const [offered, setOffered] = useState<readonly string[]>()
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    if (isYours) setOffered((before) => before ?? sameAction(open, ask).map(({ id }) => id))
  }, [isYours, open, ask])
  const hasOffer = offered !== undefined && offered.length > 0
  useEffect(() => {
    if (!hasOffer) return
    const timer = setTimeout(() => setReady(true), inertMs)
    return () => clearTimeout(timer)
  }, [hasOffer])
  const same = isYours ? sameAction(open, ask).filter(({ id }) => offered?.includes(id)) : []
  if (same.length === 0 && refused.length === 0) return null
  return (
    <section className="same-action" aria-label={words.heading}>
      {same.length > 0 && (
        <>
          <p>{words.others(same.length)}</p>
          <ul className="same-asks">
            {same.map((one) => (
              <li key={one.id}>{askerText(one)}</li>
            ))}
          </ul>
          <Button
            variant="default"
            loading={many.isPending}
            disabled={isLost || !isReady}
            onClick={async () => setRefused(await many.mutateAsync({ asks: same, answerOf: approvalOf }))}
          >
            {words.approve(same.length)}
          </Button>
        </>
      )}
      {refused.length > 0 && (
        <p role="alert" className="notice">
          {words.notApproved}{' '}
          {refused.map(({ ask: one, problem }) => `${askerText(one)}: ${problem.message}`).join(' ')}
        </p>
      )}
    </section>
  )
}
