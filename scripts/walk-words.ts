// The text of docs/guides/conductor.md before and after the recorded walk.

export const introduction = `# Review plans and commits before your agent continues

An agent that carries out a plan should stop at three kinds of points: before it starts, after each phase, and at the end. With Assent
these are tool calls in one conversation: the agent waits, you decide, and it continues.

## Set up

\`\`\`sh
npx assent init      # sets up the clients that you choose; --dry-run shows what it would change
\`\`\`

Then ask your agent for something that takes several steps. In VS Code, Claude Code, Cursor, Gemini CLI and opencode, use the command \`/conductor\`. In
other clients, ask in your own words: \`init\` writes rules that make the agent stop at the same points. If you already have a Conductor agent in VS
Code, \`init\` changes it to use these tools.

If your client shows forms, you answer there. If it shows no forms, or declines by itself without showing you anything, the question waits in your inbox:

\`\`\`sh
npx assent inbox         # answer here, in the terminal
npx assent inbox open    # or in the browser, signed in
\`\`\`

All windows share one inbox. A question in the inbox stays open for 24 hours. A question that your client shows stays open for five minutes.
\`ASSENT_ASKS_WAIT=30m\` sets both times. After that time the agent gets a timeout, which counts as a no.

The rest of this page was recorded with the real program, with a client that cannot ask, and answered in the inbox. \`npm run walk\` records
it again.
`

export const ending = `## What else can happen

| what you do                      | what the agent gets                                                                  |
| -------------------------------- | ------------------------------------------------------------------------------------ |
| request changes to the plan      | your comment; it changes the plan and asks again                                     |
| continue without a commit, twice | \`commit_missing\`: nothing is committed; it reminds you                               |
| pause here                       | an instruction to stop until you continue, and to remind you if nothing is committed |
| request changes to a phase       | your comment; it makes the changes and asks for the commit again                     |
| cancel the plan                  | an instruction to stop                                                               |
| dismiss the question             | \`cancelled\`: nothing was decided                                                     |
| decline it                       | \`declined\`, with your reason                                                         |
| do not answer in time            | \`timed_out\`, which counts as a no                                                    |
| cannot be reached                | \`not_supported\`: the agent stops and asks in the chat                                |

A comment that you write with any answer reaches the agent as \`comment\`. Every row except the last is also a line in the plan's file.

Saying "I committed" is not enough: Assent checks git before and after you answer. If there is no new commit, you are asked again at once. A commit
whose message differs from the proposed one counts, and the result states the difference. Assent shows uncommitted files. When Assent reads a
repository, it runs none of the programs that the repository configures: no hook, no filter, no file watcher.

At the end Assent compares the agent's report with its own record and with git: a phase counts if you approved its commit and git still has that
commit. If a phase does not count, the question says so, and the result has \`isOnRecord: false\`. You can still approve. Facts that Assent checked are
marked "Checked by Assent", separate from the agent's text.

An agent can also ask other questions, with \`elicit_choice\`, \`elicit_input\` and \`elicit_confirm\`. None of the tools asks for passwords, keys
or tokens.

Assent stores everything in one folder. \`npx assent\` in a terminal prints its path, and \`ASSENT_HOME\` sets another one. Every decision is in an
audit log that can be verified.
`
