// The outcome of an ask in SQL, for its row `a`. It must equal core's `namedOutcomeOf` of the same ask.

/**
 * Without `person_answer`, the counted votes show how the ask was answered. An accepted form then counts as answered, because its
 * content is not read here.
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
