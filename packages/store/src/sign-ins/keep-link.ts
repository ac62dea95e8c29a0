import { query } from '../engine/statement.ts'

/** Keeps a link, unless too many of the tenant are unused. Two that come at once may go one beyond; none is dropped. */
export const keepLink = query<
  { tenant: string; hash: string; principal: string; member_of: string; keep: number; at_most: number },
  { hash: string }
>(
  'keep_sign_in_link',
  `insert into sign_in_links (tenant, hash, principal, member_of, made_at, expires_at)
   select :tenant, :hash, :principal, :member_of, :now, :now + cast(:keep as bigint)
   where (select count(*) from sign_in_links where tenant = :tenant and used_at is null and expires_at > :now)
     < cast(:at_most as bigint)
   returning hash`,
)
