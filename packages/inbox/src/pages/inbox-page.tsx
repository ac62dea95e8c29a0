// What waits for the person: the list and the card.

import type { AnswerBody, AskView } from '@assent/core'
import { Button, Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { problemOf } from '../api/client.ts'
import { useAsk, useOpenAsks } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { goTo } from '../route.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { useKeys } from '../ui/keys.ts'
import { LoadMore } from '../ui/load-more.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { useWide } from '../ui/wide.ts'
import { exampleAsk } from './example.ts'
import { OneAsk } from './one-ask.tsx'

export function InboxPage({ id }: { readonly id?: string | undefined }) {
  const list = useOpenAsks()
  const isWide = useWide()
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  const [first] = asks

  // On a wide screen the newest is open from the start; later arrivals never push the card away.
  useEffect(() => {
    if (isWide && id === undefined && first !== undefined) goTo(`/asks/${first.id}`, 'replace')
  }, [isWide, id, first])

  const move = (by: 1 | -1) => {
    const at = asks.findIndex((ask) => ask.id === id)
    const next = asks[at < 0 ? 0 : at + by]
    if (next !== undefined) goTo(`/asks/${next.id}`, 'replace')
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => document.querySelector<HTMLElement>('.card')?.focus(),
  })

  if (list.isPending) return <Loader className="loading" aria-label="Loading" />
  if (list.isError) return <Trouble problem={problemOf(list.error)} onRetry={() => void list.refetch()} />
  if (asks.length === 0 && id === undefined) return <Empty />
  return (
    <div className="desk" data-showing={id === undefined ? 'list' : 'card'}>
      <h1 className="unseen">Inbox</h1>
      <nav className="list" aria-label="Waiting for you">
        <h2 className="list-title">
          Waiting for you <span className="figures">{countOf(asks, list.hasNextPage)}</span>
        </h2>
        <ul>
          {asks.map((ask) => (
            <AskRow
              key={ask.id}
              ask={ask}
              path={`/asks/${ask.id}`}
              isCurrent={ask.id === id}
              onOpen={() => goTo(`/asks/${ask.id}`)}
            />
          ))}
        </ul>
        {asks.length === 0 && <p className="list-empty">Nothing is waiting for you.</p>}
        {list.hasNextPage && <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
      </nav>
      <div className="stage">
        {id === undefined ? (
          <p className="stage-empty">Choose one from the list.</p>
        ) : (
          <Opened key={id} id={id} next={asks.find((ask) => ask.id !== id)} />
        )}
      </div>
    </div>
  )
}

function Opened({ id, next }: { readonly id: string; readonly next: AskView | undefined }) {
  const state = useAsk(id).data?.ask.state.kind ?? 'open'
  return (
    <>
      <BackLink />
      <OneAsk id={id} />
      {state !== 'open' && next !== undefined && (
        <p className="next">
          <Button variant="default" onClick={() => goTo(`/asks/${next.id}`, 'replace')}>
            Next: {next.headline}
          </Button>
        </p>
      )}
      {state !== 'open' && next === undefined && <p className="next">Nothing else is waiting for you.</p>}
    </>
  )
}

function BackLink() {
  return (
    <a
      className="back"
      href="/"
      onClick={(event) => {
        event.preventDefault()
        goTo('/')
      }}
    >
      ‹ All
    </a>
  )
}

const seenKey = 'assent-example-seen'

function Empty() {
  const [example, setExample] = useState<AskView | undefined>(() =>
    localStorage.getItem(seenKey) === null ? exampleAsk(serverNow()) : undefined,
  )
  const onAnswer = async ({ action, comment }: AnswerBody['answer']) => {
    localStorage.setItem(seenKey, 'yes')
    setExample((before) => before && answered(before, action, comment))
    return undefined
  }
  return (
    <div className="empty">
      <h1>Nothing is waiting for you.</h1>
      <p>
        When an agent needs you, its question appears here by itself. To try one, ask your agent: “Ask me to confirm
        before you go on.”
      </p>
      {example === undefined ? (
        <Button variant="default" onClick={() => setExample(exampleAsk(serverNow()))}>
          Show me an example
        </Button>
      ) : (
        <section className="example" aria-label="An example">
          <p className="example-note">
            This is an example, so that you know the card. Nothing runs, whatever you answer.
          </p>
          <AskCard ask={example} onAnswer={onAnswer} onPassed={() => setExample(undefined)} />
        </section>
      )}
    </div>
  )
}

const answeredAs = {
  accept: { outcome: 'accepted', answered: { name: 'approved', verdict: 'yes', text: 'Approved' } },
  decline: { outcome: 'declined', answered: { name: 'declined', verdict: 'no', text: 'Declined' } },
  cancel: { outcome: 'cancelled', answered: { name: 'dismissed', verdict: 'neutral', text: 'Dismissed' } },
} as const

function answered(ask: AskView, action: AnswerBody['answer']['action'], comment: string | undefined): AskView {
  const as = answeredAs[action]
  const said = comment === undefined ? {} : { comment }
  const by = { name: 'you', isYou: true }
  const what = `You ${as.answered.name} the example; nothing ran`
  return {
    ...ask,
    answers: [],
    state: { kind: 'settled', what, ...as, by, via: 'inbox', atMs: serverNow(), content: [], ...said },
  }
}

function countOf(asks: readonly AskView[], hasMore: boolean): string {
  return `${asks.length}${hasMore ? '+' : ''}`
}
