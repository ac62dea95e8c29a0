import { query, together } from '../engine/statement.ts'
import { hasRoom, type RoomParams } from './begin-session.ts'

export type RedeemParams = RoomParams & {
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
 * `used_at is null` is the lock: of two browsers that bring the same link in the same instant the second finds it used.
 * A link that was used, is too old or never was looks the same. Where there is no room for a session the link stays good.
 */
export const redeemLink = together<RedeemParams, { principal: string }>(
  'redeem_sign_in_link',
  {
    name: 'redeemed',
    returns: ['tenant', 'hash', 'principal', 'member_of'],
    tells: ['principal'],
    sql: `
      update sign_in_links set used_at = :now
      where tenant = :tenant and hash = :link and used_at is null and expires_at > :now
        and ${hasRoom('sign_in_links.principal')}
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

/** Whether it could still be used: tells "too many sessions" from "no such link". */
export const readLink = query<{ tenant: string; link: string }, { principal: string }>(
  'read_sign_in_link',
  `select principal from sign_in_links
   where tenant = :tenant and hash = :link and used_at is null and expires_at > :now`,
)
