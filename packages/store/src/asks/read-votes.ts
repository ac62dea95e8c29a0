import { query } from '../engine/statement.ts'

export type VoteRow = {
  voter: string
  answer: string
  via: string
  decision_id: string
  voted_at: number
  signature: string | null
  presence: string | null
  voter_groups: string | null
}

export const readVotes = query<{ tenant: string; ask_id: string }, VoteRow>(
  'read_votes',
  `select voter, answer, via, decision_id, voted_at, signature, presence, voter_groups from votes
   where tenant = :tenant and ask_id = :ask_id order by place`,
)
