// What replaces the stops of a Conductor that somebody else wrote.

const firstTool = 'request_plan_approval'

export const agentStops = {
  plan: `Call \`${firstTool}\` of the MCP server \`assent\` with \`planSummary\`, \`phaseCount\`, \`openQuestions\` and \`taskName\`, and wait for its result. \`approve\`: continue. \`request_changes\`: gather additional context, revise the plan as the \`feedback\` says, and call it again. \`cancel\`: stop.`,
  phase:
    'Call `request_phase_commit_approval` of the MCP server `assent` with `phaseNumber`, `phaseSummary`, `filesModified` and `commitMessage`, and wait for its result. Begin the next phase only if `mayContinue` is true. `commit_and_pause`: stop until the user asks you to continue. `revise`: make the changes in `revisionNotes` and call it again. `abort`: the plan is cancelled; write the completion report and stop.',
  end: 'Call `request_completion_review` of the MCP server `assent` with `completionSummary`, `phasesCompleted` and `filesModified`, and wait for its result. Only `approve` closes the task.',
} as const

/** Sentences of Copilot Orchestra that contain a stop under another name. */
export const agentSentences: readonly (readonly [theirs: string, ours: string])[] = [
  ['Share completion summary with user and close the task.', `Share completion summary with user. ${agentStops.end}`],
  [
    'You must stop and wait for user input at:',
    'Each one is a call of a tool of the MCP server `assent` (see "Checkpoints with a person" at the end). Do not end your turn instead:',
  ],
  [
    'DO NOT proceed past these points without explicit user confirmation.',
    'DO NOT proceed past these points unless the result of the tool says so.',
  ],
]
