// How an ask ended, in SQL, over its row `a`. It says what core's `outcomeOf` says of the same ask.

/** How an answer went is told by the counted votes, without reading the answer. */
export const outcomeColumn = `case
    when a.state = 'expired' then 'expired'
    when a.state = 'withdrawn' and a.withdrawn_because in ('undeliverable', 'unseen') then a.withdrawn_because
    when a.state = 'withdrawn' then 'withdrawn'
    when a.accepts >= a.approvals_needed then 'accepted'
    when a.declines >= a.declines_needed then 'declined'
    else 'cancelled'
  end`
