import { atomic, query } from '../engine/statement.ts'
import { isBelowLimits, type SessionLimitParams } from './start-session.ts'

export type RedeemParams = SessionLimitParams & {
  link: string
  hash: string
  keep: number
  public_key: string | null
  listener_secret: string | null
  port: number | null
}

/**
 * Turns a link into a session, once.
 *
 * `used_at is null` is the lock: of two browsers that open the same link at the same moment, the second finds it used.
 * A used, expired or unknown link gives the same result. If there are too many sessions, the link stays valid.
 */
export const redeemLink = atomic<RedeemParams, { principal: string }>(
  'redeem_sign_in_link',
  {
    name: 'redeemed',
    returns: ['tenant', 'hash', 'principal', 'member_of'],
    selects: ['principal'],
    sql: `
      update sign_in_links set used_at = :now
      where tenant = :tenant and hash = :link and used_at is null and expires_at > :now
        and ${isBelowLimits('sign_in_links.principal')}
      returning tenant, hash, principal, member_of`,
  },
  {
    name: 'begun',
    sql: `
      insert into sessions (tenant, hash, begun_with, principal, member_of, begun_at, expires_at, public_key,
        listener_secret, port)
      select r.tenant, :hash, r.hash, r.principal, r.member_of, :now, :now + cast(:keep as bigint),
        cast(:public_key as text), cast(:listener_secret as text), cast(:port as bigint) from redeemed r`,
  },
)

/** Whether a link is still valid: distinguishes too many sessions from an invalid link. */
export const readLink = query<{ tenant: string; link: string }, { principal: string }>(
  'read_sign_in_link',
  `select principal from sign_in_links
   where tenant = :tenant and hash = :link and used_at is null and expires_at > :now`,
)

/** Uses up a link without a session: the browser that opened it has one. */
export const discardLink = query<{ tenant: string; link: string }, { hash: string }>(
  'discard_sign_in_link',
  `update sign_in_links set used_at = :now
   where tenant = :tenant and hash = :link and used_at is null and expires_at > :now returning hash`,
)
