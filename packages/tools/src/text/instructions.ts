// The instructions that a client gives its model about this server before any tool is called.

const before = [
  'A decision that is theirs, with answers you can list: elicit_choice. Something they must type: elicit_input. Before anything that cannot be undone: elicit_confirm.',
  'When you work to a plan: request_plan_approval before the first change; request_phase_commit_approval after each phase; request_completion_review at the end. Do exactly what the decision says.',
]

const after = [
  'Only status "answered" is an answer. Declined, cancelled, timed_out and every other status is a no: never continue as if it were a yes, never answer on the user\'s behalf, and show them the message.',
  'Never ask for passwords, keys or tokens: such questions are refused.',
  'If a result says that it waits for a person and names an ask_id, tell the user where they can answer and call assent__await_answer with it. Do not repeat the call.',
]

/** @param additional one line for each tool of another package */
export function instructionsWith(additional: readonly string[]): string {
  const lines = [...before, ...additional, ...after].map((line) => `- ${line}`)
  return `Assent lets you ask the user you work for, and wait for their answer, without ending the conversation.\n\n${lines.join('\n')}`
}
