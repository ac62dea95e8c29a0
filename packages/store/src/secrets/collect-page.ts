import { query, unhurriedQuery } from '../engine/statement.ts'

type PageKey = { tenant: string; id: string; server: string }
export type CollectedRow = {
  sealed: string | null
  principal: string | null
  ask_id: string | null
  collections: number
  released_at: number | null
}

/**
 * What there is for the server that opened the page. Only what is handed out counts as collected: a handler that runs
 * again fetches it again, until its call has ended and the page is released.
 */
export const collectPage = query<PageKey & { at_most: number }, CollectedRow>(
  'collect_secret',
  `update secret_pages set
     collections = collections + case when sealed is not null then 1 else 0 end
   where tenant = :tenant and id = :id and server = :server and expires_at > :now and collections < :at_most
   returning sealed, principal, ask_id, collections, released_at`,
)

/** The server has no more use for it. What was handed over is deleted, and nothing can be handed over any more. */
export const releasePage = query<PageKey, { ask_id: string | null }>(
  'release_secret_page',
  `update secret_pages set sealed = null, released_at = coalesce(released_at, :now)
   where tenant = :tenant and id = :id and server = :server and expires_at > :now
   returning ask_id`,
)

/** Nobody can collect these any more, handed over or not. */
export const forgetPages = unhurriedQuery<Record<string, never>, { id: string }>(
  'forget_secret_pages',
  'delete from secret_pages where expires_at <= :now returning id',
)
