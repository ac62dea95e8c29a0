// The open asks of the person: the list, and the selected ask as a card.

import type { AnswerBody, AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { useAsk, useOpenAsks, useRunningAgents } from '../api/queries.ts'
import { serverNow } from '../api/server-time.ts'
import { frameText } from '../text/frame.ts'
import { listText } from '../text/list.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { BulkBar } from '../ui/bulk-bar.tsx'
import { ListTools } from '../ui/list-tools.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { type MissedRefusal, useMissedRefusals } from '../ui/missed-refusals.ts'
import { isFiltering, isForYou, matching, noFilter } from '../ui/open-filter.ts'
import { isLoaded, NotLoaded, Unloaded } from '../ui/page-error.tsx'
import { SameAction } from '../ui/same-action.tsx'
import { sendProblem } from '../ui/send-problem.ts'
import { useShortcuts } from '../ui/shortcuts.ts'
import { useWideScreen } from '../ui/wide-screen.ts'
import { AskDetail } from './ask-detail.tsx'
import { answerExample, exampleAsk } from './example-ask.ts'
import { navigate } from './route.ts'

const words = listText.list

export function InboxPage({ id }: { readonly id?: string | undefined }) {
  const list = useOpenAsks()
  // An empty list that could not be read again may have asks by now.
  const isRead = useConnection() === 'ok'
  const isWide = useWideScreen()
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  const mine = asks.filter(isForYou)
  const [first] = mine.length > 0 ? mine : asks
  const [filter, setFilter] = useState(noFilter)
  const [selected, setSelected] = useState<ReadonlySet<string>>()
  const [result, setResult] = useState('')
  // The selected card shows its own.
  const missed = useMissedRefusals().filter(({ askId }) => askId !== id)
  const matches = matching(asks, filter)
  const [forYou, forOthers] = [matches.filter(isForYou), matches.filter((ask) => !isForYou(ask))]
  const shown = [...forYou, ...forOthers]
  const chosen = shown.filter((ask) => selected?.has(ask.id))
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list

  // Filters and "select all" are about every open ask, not only about the first page.
  const needsAll = isFiltering(filter) || selected !== undefined
  useEffect(() => {
    if (needsAll && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage({ cancelRefetch: false })
  }, [needsAll, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage])

  // On a wide screen the newest ask is selected at first; new asks never replace the selected one.
  useEffect(() => {
    if (isWide && id === undefined && first !== undefined) navigate(`/asks/${first.id}`, 'replace')
  }, [isWide, id, first])

  const move = (by: 1 | -1) => {
    const at = shown.findIndex((ask) => ask.id === id)
    const next = shown[at < 0 ? 0 : at + by]
    if (next !== undefined) navigate(`/asks/${next.id}`, 'replace')
  }
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => document.querySelector<HTMLElement>('.card')?.focus(),
  })

  if (!isLoaded(list)) return <NotLoaded query={list} />
  // On a phone, the list shows what happened to the last ones.
  if (asks.length === 0 && id === undefined && (isWide || result === '') && missed.length === 0)
    return isRead ? <EmptyInbox /> : <Unloaded />
  return (
    <div className="two-pane" data-showing={id === undefined ? 'list' : 'card'}>
      <h1 className="visually-hidden">{words.page}</h1>
      <nav className="list" aria-label={words.title}>
        <h2 className="list-title">
          {words.title} <span className="digits">{countOf(mine, list.hasNextPage)}</span>
        </h2>
        <p className="list-result" role="status">
          {result}
          {missed.map((one) => (
            <Missed key={one.askId} refusal={one} />
          ))}
        </p>
        {(asks.length > 1 || needsAll || result !== '') && (
          <ListTools
            asks={asks}
            filter={filter}
            isSelecting={selected !== undefined}
            result={result}
            onFilter={setFilter}
            onSelecting={(isSelecting) => {
              setSelected(isSelecting ? new Set() : undefined)
              setResult('')
            }}
          />
        )}
        <ul>
          {forYou.map((ask) => (
            <Row key={ask.id} ask={ask} currentId={id} selected={selected} onSelected={setSelected} />
          ))}
        </ul>
        {mine.length === 0 && !hasNextPage && (
          <p className="list-empty">{isRead ? words.none : frameText.errors.notLoaded}</p>
        )}
        {asks.length > 0 && shown.length === 0 && !hasNextPage && <p className="list-empty">{words.noMatch}</p>}
        {forOthers.length > 0 && (
          <>
            <h2 className="list-title">
              {words.others} <span className="digits">{countOf(forOthers, list.hasNextPage)}</span>
            </h2>
            <ul>
              {forOthers.map((ask) => (
                <Row key={ask.id} ask={ask} currentId={id} />
              ))}
            </ul>
          </>
        )}
        {selected !== undefined && (
          <BulkBar
            shown={forYou}
            selected={chosen}
            onSelectAll={() => setSelected(new Set(forYou.map((ask) => ask.id)))}
            onDone={(done) => {
              setSelected(undefined)
              setResult(done)
            }}
          />
        )}
        {list.hasNextPage && <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
      </nav>
      <div className="detail">
        {id === undefined ? (
          <p className="detail-empty">{words.select}</p>
        ) : (
          <SelectedAsk key={id} id={id} open={asks} next={forYou.find((ask) => ask.id !== id)} />
        )}
      </div>
    </div>
  )
}

/** Why an answer was refused after its card was left, or the outcome if it was recorded without a reply. Leads to the card. */
function Missed({ refusal: { askId, headline, problem } }: { readonly refusal: MissedRefusal }) {
  const state = useAsk(problem.code === 'unavailable' ? askId : undefined).data?.ask.state
  const hasEnded = state !== undefined && state.kind !== 'open'
  const path = `/asks/${askId}`
  return (
    <a
      className="missed-refusal"
      href={path}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        navigate(path)
      }}
    >
      {hasEnded ? words.ended(headline, state.what) : words.refused(headline, sendProblem(problem))}
    </a>
  )
}

interface RowProps {
  readonly ask: AskView
  readonly currentId: string | undefined
  /** While several asks can be selected. */
  readonly selected?: ReadonlySet<string> | undefined
  readonly onSelected?: (selected: ReadonlySet<string>) => void
}

function Row({ ask, currentId, selected, onSelected }: RowProps) {
  return (
    <AskRow
      ask={ask}
      path={`/asks/${ask.id}`}
      isCurrent={ask.id === currentId}
      onOpen={() => navigate(`/asks/${ask.id}`)}
      {...(selected === undefined
        ? {}
        : { isSelected: selected.has(ask.id), onSelect: () => onSelected?.(toggled(selected, ask.id)) })}
    />
  )
}

interface SelectedProps {
  readonly id: string
  readonly open: readonly AskView[]
  readonly next: AskView | undefined
}

function SelectedAsk({ id, open, next }: SelectedProps) {
  const ask = useAsk(id).data?.ask
  const isRead = useConnection() === 'ok'
  const state = ask?.state.kind ?? 'open'
  return (
    <>
      <BackLink />
      <AskDetail id={id} />
      {ask !== undefined && <SameAction ask={ask} open={open} />}
      {state !== 'open' && next !== undefined && (
        <p className="next">
          <Button variant="default" onClick={() => navigate(`/asks/${next.id}`, 'replace')}>
            {words.next(next.headline)}
          </Button>
        </p>
      )}
      {state !== 'open' && next === undefined && isRead && <p className="next">{words.nothingElse}</p>}
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
        navigate('/')
      }}
    >
      {words.back}
    </a>
  )
}

const exampleSeenKey = 'assent-example-seen'

function EmptyInbox() {
  const [example, setExample] = useState<AskView | undefined>(() =>
    localStorage.getItem(exampleSeenKey) === null ? exampleAsk(serverNow()) : undefined,
  )
  const onAnswer = async (_: AskView, answer: AnswerBody['answer']) => {
    localStorage.setItem(exampleSeenKey, 'yes')
    setExample((before) => before && answerExample(before, answer))
    return undefined
  }
  const isNoneRunning = useRunningAgents() === 0
  return (
    <div className="empty">
      <h1>{isNoneRunning ? listText.empty.noAgent : words.none}</h1>
      <p>{isNoneRunning ? listText.empty.noAgentHelp : listText.empty.help}</p>
      {example === undefined ? (
        <Button variant="default" onClick={() => setExample(exampleAsk(serverNow()))}>
          {listText.empty.showExample}
        </Button>
      ) : (
        <section className="example" aria-label={listText.example.heading}>
          <p className="example-note">{listText.example.note}</p>
          <AskCard ask={example} onAnswer={onAnswer} onPassed={() => setExample(undefined)} />
        </section>
      )}
    </div>
  )
}

function toggled(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(selected)
  if (!next.delete(id)) next.add(id)
  return next
}

function countOf(asks: readonly AskView[], hasMore: boolean): string {
  return `${asks.length}${hasMore ? '+' : ''}`
}
