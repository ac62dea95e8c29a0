// The pages' requests to the gateway, cached by TanStack Query. `live-updates.ts` marks them as stale.

import type {
  AgentsView,
  AnswerBody,
  AnsweredView,
  AskPageView,
  AskView,
  HandOverBody,
  InboxProblem,
  LoginStartView,
  MeView,
  OneAskView,
  PresenceBody,
  ProofView,
  SecretView,
  SignInView,
  StatisticsView,
} from '@assent/core'
import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { get, post, problemOf } from './client.ts'
import { sealSecret } from './seal-secret.ts'
import { recordServerTime } from './server-time.ts'

/** A bit more than fits on a large screen; a longer first page would only load later. */
const pageSize = '30'
const retryMeMs = 3_000
const agentsEveryMs = 5_000

export const queryKeys = {
  me: ['me'],
  agents: ['agents'],
  signIn: ['sign-in'],
  everyAsk: ['asks'],
  open: ['asks', 'open'],
  ask: (id: string) => ['asks', 'one', id],
  secret: (page: string) => ['asks', 'secret', page],
  history: ['history'],
  statistics: ['statistics'],
  proof: (id: string) => ['proof', id],
} as const

/** Not fetched while a sign-in link is being used: the reply would describe the state before it. */
export function useMe(isSigningIn: boolean) {
  return useQuery({
    queryKey: queryKeys.me,
    queryFn: () => withServerTime(get<MeView>('/api/me')),
    retry: false,
    enabled: !isSigningIn,
    // Retry while the gateway is unreachable, or while another program has its address.
    refetchInterval: ({ state }) =>
      state.error !== null && problemOf(state.error).code !== 'signed-out' ? retryMeMs : false,
  })
}

/** Windows with a running agent; undefined if this inbox does not know. */
export function useRunningAgents(): number | undefined {
  const me = useMe(false)
  const agents = useQuery({
    queryKey: queryKeys.agents,
    queryFn: () => get<AgentsView>('/api/agents'),
    enabled: me.data?.knowsAgents === true,
    refetchInterval: agentsEveryMs,
  })
  return agents.data?.running
}

/** How people sign in here; fetched when the person is signed out. */
export function useSignIn() {
  return useQuery({ queryKey: queryKeys.signIn, queryFn: () => get<SignInView>('/api/sign-in'), staleTime: 60_000 })
}

/** Opens the issuer's sign-in page, which sends the person back to `to`. */
export async function startLogin(to: string): Promise<void> {
  const { url } = await post<LoginStartView>('/api/sign-in/start', { to })
  location.assign(url)
}

/** Opens this page in the browser of the desktop where the inbox runs, signed in. */
export async function openTab(to: string): Promise<void> {
  await post('/api/sign-in/open', { to })
}

export function useOpenAsks() {
  return useInfiniteQuery({
    queryKey: queryKeys.open,
    queryFn: ({ pageParam }) =>
      withServerTime(get<AskPageView>(`/api/asks${searchString({ cursor: pageParam, size: pageSize })}`)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}

export function useAsk(id: string | undefined) {
  return useQuery({
    queryKey: queryKeys.ask(id ?? ''),
    queryFn: () => withServerTime(get<OneAskView>(`/api/asks/${id}`)),
    enabled: id !== undefined,
  })
}

/** The ask behind a secret page. It is also cached under its own id, so that updates reach it. */
export function useSecretAsk(page: string) {
  const queries = useQueryClient()
  return useQuery({
    queryKey: queryKeys.secret(page),
    queryFn: async () => {
      const view = await withServerTime(get<OneAskView>(`/api/secrets/${encodeURIComponent(page)}`))
      queries.setQueryData(queryKeys.ask(view.ask.id), view)
      return view
    },
  })
}

export interface HistoryFilter {
  readonly server?: string
  readonly kind?: string
  readonly outcome?: string
  readonly tool?: string
  readonly agent?: string
  readonly project?: string
  /** Milliseconds since 1970. */
  readonly from?: string
  readonly until?: string
}

export function useHistory(filter: HistoryFilter) {
  return useInfiniteQuery({
    queryKey: [...queryKeys.history, filter],
    queryFn: ({ pageParam }) =>
      withServerTime(get<AskPageView>(`/api/history${searchString({ ...filter, cursor: pageParam, size: pageSize })}`)),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
}

/** As many ended asks as an export reads. */
export const exportMost = 1_000
const exportPageSize = '100'

/** The ended asks that the filter selects, newest first; `hasMore` if there are more than an export reads. */
export async function readHistory(
  filter: HistoryFilter,
): Promise<{ readonly asks: readonly AskView[]; readonly hasMore: boolean }> {
  const asks: AskView[] = []
  let cursor: string | undefined
  do {
    const page = await get<AskPageView>(`/api/history${searchString({ ...filter, cursor, size: exportPageSize })}`)
    asks.push(...page.asks)
    cursor = page.next
  } while (cursor !== undefined && asks.length < exportMost)
  return { asks, hasMore: cursor !== undefined }
}

/** Checking the audit log is work for the gateway, so the proof is fetched only on request. */
export function useProof(id: string, isRequested: boolean) {
  return useQuery({
    queryKey: queryKeys.proof(id),
    queryFn: () => withServerTime(get<ProofView>(`/api/asks/${id}/proof`)),
    enabled: isRequested,
    staleTime: 0,
  })
}

export function useStatistics(days: number) {
  return useQuery({
    queryKey: [...queryKeys.statistics, days],
    queryFn: () =>
      withServerTime(get<StatisticsView>(`/api/statistics?days=${days}&zone=${-new Date().getTimezoneOffset()}`)),
    placeholderData: keepPreviousData,
  })
}

export type SubmitResult =
  | { readonly ok: true; readonly view: AnsweredView }
  | { readonly ok: false; readonly problem: InboxProblem }

/** Sends an answer. A refusal is returned as a value, not thrown. */
export function useAnswer(id: string) {
  return useSubmit(id, (body: AnswerBody) => post<AnsweredView>(`/api/asks/${id}/answer`, body))
}

interface SecretSubmission {
  readonly decisionId: string
  readonly secret: string
  readonly view: SecretView
  readonly presence?: PresenceBody
}

/** Encrypts a secret in the browser and sends the ciphertext. */
export function useHandOver(id: string) {
  return useSubmit(id, async ({ secret, view, ...submission }: SecretSubmission) => {
    const body: HandOverBody = { ...submission, sealed: await sealSecret(secret, view) }
    return post<AnsweredView>(`/api/secrets/${view.page}`, body)
  })
}

function useSubmit<Input>(id: string, send: (input: Input) => Promise<AnsweredView>) {
  const queries = useQueryClient()
  return useMutation({
    // The input is not cached: it may be a secret.
    gcTime: 0,
    mutationFn: async (input: Input): Promise<SubmitResult> => {
      try {
        return { ok: true, view: await withServerTime(send(input)) }
      } catch (error) {
        return { ok: false, problem: problemOf(error) }
      }
    },
    onSuccess: (result) => {
      const { ask, nowMs } = result.ok ? result.view : result.problem
      if (ask !== undefined) queries.setQueryData(queryKeys.ask(id), { ask, nowMs })
      // The setting may have changed since the card was loaded, and an answer without a reply may be recorded.
      if (!result.ok && (result.problem.code === 'presence' || result.problem.code === 'unavailable'))
        void queries.invalidateQueries({ queryKey: queryKeys.ask(id) })
      void queries.invalidateQueries({ queryKey: queryKeys.open })
      invalidateSettled(queries)
    },
  })
}

/** What an answer changes besides the open asks. */
export function invalidateSettled(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: queryKeys.history })
  void queries.invalidateQueries({ queryKey: queryKeys.statistics })
}

async function withServerTime<T extends { readonly nowMs: number }>(reply: Promise<T>): Promise<T> {
  const view = await reply
  recordServerTime(view.nowMs)
  return view
}

function searchString(values: Readonly<Record<string, string | undefined>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined && value !== '') search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
