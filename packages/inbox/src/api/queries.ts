// What the pages ask the gateway, kept fresh by what `live.ts` hears.

import type {
  AnswerBody,
  AnsweredView,
  AskPageView,
  FiguresView,
  HandOverBody,
  InboxProblem,
  LoginStartView,
  MeView,
  OneAskView,
  ProofView,
  SecretView,
  SignInView,
} from '@assent/core'
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { sealSecret } from '../form/seal-secret.ts'
import { get, post, problemOf } from './client.ts'
import { noteServerTime } from './server-time.ts'

/** What fits a large screen, and some: a longer first page would only make the first look later. */
const pageSize = '30'
const lookAgainMs = 3_000

export const keys = {
  me: ['me'],
  signIn: ['sign-in'],
  open: ['asks', 'open'],
  ask: (id: string) => ['asks', 'one', id],
  secret: (page: string) => ['asks', 'secret', page],
  history: ['history'],
  figures: ['figures'],
  proof: (id: string) => ['proof', id],
} as const

/** Not asked while a link is being used: the answer would be of the moment before. */
export function useMe(isSigningIn: boolean) {
  return useQuery({
    queryKey: keys.me,
    queryFn: () => timed(get<MeView>('/api/me')),
    retry: false,
    enabled: !isSigningIn,
    // While nobody answers, or somebody who is not the inbox, the page looks again by itself.
    refetchInterval: ({ state }) =>
      state.error !== null && problemOf(state.error).code !== 'signed-out' ? lookAgainMs : false,
  })
}

/** How one gets in; asked by those who are not. */
export function useSignIn() {
  return useQuery({ queryKey: keys.signIn, queryFn: () => get<SignInView>('/api/sign-in'), staleTime: 60_000 })
}

/** Leaves this page for the issuer's, which sends the person back to `to`. */
export async function startLogin(to: string): Promise<void> {
  const { url } = await post<LoginStartView>('/api/sign-in/start', { to })
  location.assign(url)
}

export function useOpenAsks() {
  return useInfiniteQuery({
    queryKey: keys.open,
    queryFn: ({ pageParam }) => timed(get<AskPageView>(`/api/asks${queryOf({ cursor: pageParam, size: pageSize })}`)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}

export function useAsk(id: string | undefined) {
  return useQuery({
    queryKey: keys.ask(id ?? ''),
    queryFn: () => timed(get<OneAskView>(`/api/asks/${id}`)),
    enabled: id !== undefined,
    retry: false,
  })
}

/** The ask of a page for a secret. How it goes on is followed by the ask's own id. */
export function useSecretAsk(page: string) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: keys.secret(page),
    queryFn: async () => {
      const said = await timed(get<OneAskView>(`/api/secrets/${encodeURIComponent(page)}`))
      queries.setQueryData(keys.ask(said.ask.id), said)
      return said
    },
    retry: false,
  })
}

export interface HistoryFilter {
  readonly server?: string
  readonly kind?: string
  readonly outcome?: string
}

export function useHistory(filter: HistoryFilter) {
  return useInfiniteQuery({
    queryKey: [...keys.history, filter],
    queryFn: ({ pageParam }) =>
      timed(get<AskPageView>(`/api/history${queryOf({ ...filter, cursor: pageParam, size: pageSize })}`)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
}

/** Checking a record is work for the gateway, so it is asked for when somebody wants to see it. */
export function useProof(id: string, isWanted: boolean) {
  return useQuery({
    queryKey: keys.proof(id),
    queryFn: () => timed(get<ProofView>(`/api/asks/${id}/proof`)),
    enabled: isWanted,
    staleTime: 0,
  })
}

export function useFigures(days: number) {
  return useQuery({
    queryKey: [...keys.figures, days],
    queryFn: () => timed(get<FiguresView>(`/api/figures?days=${days}`)),
    placeholderData: keepPreviousData,
  })
}

export type Reply =
  | { readonly ok: true; readonly said: AnsweredView }
  | { readonly ok: false; readonly problem: InboxProblem }

/** Sends an answer. A refusal is an answer too: it comes back as a value, never as a throw. */
export function useAnswer(id: string) {
  return useSending(id, (body: AnswerBody) => post<AnsweredView>(`/api/asks/${id}/answer`, body))
}

interface HandingOver {
  readonly decisionId: string
  readonly secret: string
  readonly view: SecretView
}

/** Encrypts a secret and sends that. */
export function useHandOver(id: string) {
  return useSending(id, async ({ decisionId, secret, view }: HandingOver) => {
    const body: HandOverBody = { decisionId, sealed: await sealSecret(secret, view) }
    return post<AnsweredView>(`/api/secrets/${view.page}`, body)
  })
}

function useSending<What>(id: string, send: (what: What) => Promise<AnsweredView>) {
  const queries = useQueryClient()
  return useMutation({
    // What was sent is kept nowhere: it may be a secret.
    gcTime: 0,
    mutationFn: async (what: What): Promise<Reply> => {
      try {
        return { ok: true, said: await timed(send(what)) }
      } catch (error) {
        return { ok: false, problem: problemOf(error) }
      }
    },
    onSuccess: (reply) => {
      const now = reply.ok ? reply.said : reply.problem
      if (now.ask !== undefined) queries.setQueryData(keys.ask(id), { ask: now.ask, nowMs: now.nowMs })
      void queries.invalidateQueries({ queryKey: keys.open })
      void queries.invalidateQueries({ queryKey: keys.history })
      void queries.invalidateQueries({ queryKey: keys.figures })
    },
  })
}

async function timed<T extends { readonly nowMs: number }>(reply: Promise<T>): Promise<T> {
  const said = await reply
  noteServerTime(said.nowMs)
  return said
}

function queryOf(values: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== '') search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
