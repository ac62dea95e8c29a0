import { query } from '../engine/statement.ts'

/** Stores a link, unless the tenant has too many unused ones. Two at the same moment may exceed the limit by one. */
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
