// Rules that make an agent ask its person at the right moments, for the clients that support rules.
//
// The tools enforce what they can; these rules make an agent call them. The complete workflow of a plan is in
// conductor.ts, which also uses the two lists below.

/** Rules that apply at every checkpoint. */
export const checkpointRules = `- Stay in this conversation: a pause is a tool call, not the end of your turn.
- A choice that is the person's to make: \`elicit_choice\`, \`elicit_input\` or \`elicit_confirm\`. Do not guess, and do not
  ask what you can find out yourself.
- Only the status \`answered\` is an answer. Treat everything else as a no, including a timeout.
- When a result says that it waits for a person and names an \`ask_id\`, tell the person where to answer and call
  \`assent__await_answer\` with it. Do not repeat the call.
- When a tool reports that no person could be asked, show its message to the person and stop. Never decide in their place.`

/** What to do without the server. The person must notice that the checkpoints are missing. */
export const missingTools = `If the tools of the MCP server \`assent\` are missing, stop before you change anything and tell the person: "The Assent
tools are not available, so I cannot ask for your approval. Run \`npx assent doctor\` to see why, or tell me to continue without
checkpoints." Never treat the missing tools as an approval.`

const checkpoints = `1. **Plan.** Before the first change, call \`request_plan_approval\` with \`planSummary\`, \`phaseCount\` and \`openQuestions\`.
   Begin only after \`approve\`. On \`request_changes\`, apply the \`feedback\` and ask again. On \`cancel\`, stop.
2. **Each phase.** Do one phase, run its tests, then call \`request_phase_commit_approval\` with \`phaseNumber\`,
   \`phaseSummary\`, \`filesModified\` and \`commitMessage\`. Begin the next phase only if \`mayContinue\` is true. On \`revise\`,
   make the changes in \`revisionNotes\` and ask again. On \`abort\`, the plan is cancelled: stop.
3. **End.** After the last commit, call \`request_completion_review\` and report what the person decided.`

const rule = `Use the tools of the MCP server \`assent\` when you work to a plan with several phases, and before anything that cannot be
undone (\`elicit_confirm\`). Small tasks need no plan.

${checkpoints}

${checkpointRules}

${missingTools}
`

/** As a separate file. */
export const rulesFile = `# Checkpoints with a person\n\n${rule}`

/** As a block in an existing file, which already has a title. */
export const rulesBlock = `## Checkpoints with a person\n\n${rule}`

/** As a block at the end of a Conductor that somebody else wrote. */
export const agentBlock = `## Checkpoints with a person

Where this file tells you to stop and wait for the user, call a tool of the MCP server \`assent\` and follow its result:

${checkpoints}

Assent keeps the list of decisions in \`plans/<taskName>-complete.md\`, between two comments. Write your report into the same
file and leave that part as it is. After \`abort\`, the report says what is committed, what is not, and what is missing.

${checkpointRules}

${missingTools}
`

/** Cursor: applied to every conversation in the repository. */
export const cursorRule = `---
description: Checkpoints with a person, through the MCP server assent
alwaysApply: true
---

${rulesFile}`
