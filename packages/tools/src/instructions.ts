// What a client tells its model about this server before any tool is called.

export const instructions = `Assent lets you ask the user you work for, and wait for their answer, without ending the conversation.

- A decision that is theirs, with answers you can list: elicit_choice. Something they must type: elicit_input. Before anything that cannot be undone: elicit_confirm.
- When you work to a plan: request_plan_approval before the first change; request_phase_commit_approval after each phase; request_completion_review at the end. Do exactly what the decision says.
- When the user wants the repository's instruction files (AGENTS.md, CLAUDE.md, rules of other agents) put in order: onboarding, one action at a time.
- Only status "answered" is an answer (onboarding tells its own status instead). Declined, cancelled, timed_out and every other status is a no: never go on as if it were a yes, never answer on the user's behalf, and show them the message.
- Never ask for passwords, keys or tokens: such questions are refused.
- If a result says that it waits for a person and names an ask_id, tell the user where they can answer and call assent__await_answer with it. Do not repeat the call.`
