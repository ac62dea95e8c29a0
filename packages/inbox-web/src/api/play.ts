// The playground's requests to the gateway.

import type { PlayBody, PlayRunView, PlayView } from '@assent/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { get, post } from './client.ts'
import { recordServerTime } from './server-time.ts'

export const playKey = 'play'
const pollMs = 400
/** The latest run of this page: the next one replaces it. */
const lastRunKey = [playKey, 'last-run']

export function usePlayground() {
  return useQuery({
    queryKey: [playKey],
    queryFn: () => get<PlayView>('/api/play'),
    staleTime: Infinity,
    retry: false,
    refetchInterval: false,
  })
}

export function useRun(id: string | undefined) {
  return useQuery({
    queryKey: runKey(id),
    queryFn: async () => {
      const run = await get<PlayRunView>(`/api/play/runs/${id}`)
      recordServerTime(run.nowMs)
      return run
    },
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data?.state.kind === 'running' ? pollMs : false),
  })
}

export function useStartRun() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: PlayBody) => {
      const replaces = queries.getQueryData<string>(lastRunKey)
      return post<PlayRunView>('/api/play/runs', replaces === undefined ? body : { ...body, replaces })
    },
    onSuccess: (run) => {
      queries.setQueryData(runKey(run.id), run)
      queries.setQueryData(lastRunKey, run.id)
    },
  })
}

export function useStopRun(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => post<PlayRunView>(`/api/play/runs/${id}/stop`, {}),
    onSuccess: (run) => queries.setQueryData(runKey(run.id), run),
  })
}

function runKey(id: string | undefined) {
  return [playKey, 'run', id ?? '']
}
