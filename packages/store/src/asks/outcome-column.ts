// How an ask ended, in SQL, over its row `a`. It says what core's `namedOutcomeOf` says of the same ask.

/**
 * Rows that an older version settled have no `person_answer`. Of those the counted votes tell how the answer went; an
 * accepted form then counts as answered, because whether it said yes cannot be told without reading it.
 */
export const outcomeColumn = `case
    when a.undelivered_at is not null then 'undelivered'
    when a.state = 'expired' then 'expired'
    when a.state = 'withdrawn' and a.withdrawn_because in ('undeliverable', 'unseen') then a.withdrawn_because
    when a.state = 'withdrawn' then 'withdrawn'
    when a.person_answer is not null then a.person_answer
    when a.accepts >= a.approvals_needed and a.kind = 'form' then 'answered'
    when a.accepts >= a.approvals_needed then 'approved'
    when a.declines >= a.declines_needed then 'declined'
    else 'dismissed'
  end`
