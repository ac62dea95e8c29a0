import { backgroundQuery, query } from '../engine/statement.ts'

type CollectKey = { tenant: string; id: string; server: string }
export type CollectedRow = {
  sealed: string | null
  principal: string | null
  ask_id: string | null
  collections: number
  released_at: number | null
}

/**
 * Returns the secret, if there is one, to the server that opened the page. A handler that runs again collects it again, until its
 * call has ended and the page is released.
 */
export const collectPage = query<CollectKey & { at_most: number }, CollectedRow>(
  'collect_secret',
  `update secret_pages set
     collections = collections + case when sealed is not null then 1 else 0 end
   where tenant = :tenant and id = :id and server = :server and expires_at > :now and collections < :at_most
   returning sealed, principal, ask_id, collections, released_at`,
)

/** The server no longer needs the page. The secret is deleted, and none can be handed over any more. */
export const releasePage = query<CollectKey, { ask_id: string | null }>(
  'release_secret_page',
  `update secret_pages set sealed = null, released_at = coalesce(released_at, :now)
   where tenant = :tenant and id = :id and server = :server and expires_at > :now
   returning ask_id`,
)

/** Deletes expired pages, whether a secret was handed over or not. */
export const deletePages = backgroundQuery<Record<string, never>, { id: string }>(
  'delete_secret_pages',
  'delete from secret_pages where expires_at <= :now returning id',
)
