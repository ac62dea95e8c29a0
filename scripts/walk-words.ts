// What docs/guide/conductor.md says before and after the recorded walk.

export const introduction = `# Work with an agent that asks

An agent that carries out a plan should stop at three kinds of places: before it begins, after each phase, and at the end.
With Assent these are tool calls, in one conversation: the agent waits, you decide, it goes on.

## Begin

\`\`\`sh
npx assent init      # tells the clients on this machine about Assent; --dry-run shows what it would change
\`\`\`

Then ask your agent for something that takes several steps. In VS Code choose the agent **Conductor**; in Claude Code, Cursor and
Codex the same habit is a rule that \`init\` writes. Where your client shows forms you answer there. Where it does not, or
declines by itself without showing you anything, the question waits in your inbox:

\`\`\`sh
npx assent inbox         # answer here, in the terminal
npx assent inbox link    # or in the browser: prints a link that signs you in, once
\`\`\`

All windows share one inbox. A question waits five minutes unless you say otherwise (\`ASSENT_ASKS_WAIT=30m\`); then the agent is
told that nobody answered, which is a no.

The rest of this page was recorded with the real program, by a client that cannot ask, and answered in the inbox:
\`npm run walk\` does it again.
`

export const ending = `## What else can happen

| you                                     | the agent is told                                                                  |
| --------------------------------------- | ---------------------------------------------------------------------------------- |
| request changes                         | what you wrote; it changes the plan and asks again                                 |
| continue without a commit, twice        | that nothing is committed (\`commit_missing\`); it reminds you                       |
| pause                                   | to stop until you say to go on, and to remind you if nothing is committed          |
| revise                                  | your notes; it does them and asks for the commit again                             |
| abort, or cancel                        | to stop                                                                            |
| dismiss the question                    | that nothing was decided (\`cancelled\`)                                             |
| decline it                              | that you said no, and why (\`declined\`)                                             |
| do not answer                           | that nobody answered, which is a no (\`timed_out\`)                                  |
| cannot be reached at all                | to stop and to show you the question in the chat (\`not_supported\`)                 |

What you write beside any answer reaches the agent as \`comment\`. Every row but the last is also a line of the plan's file.

Saying "I committed" is not enough: Assent checks git before and after you answer. If there is no new commit, you are asked
again at once. A commit with another message counts, and the agent is told; files left over are shown. Nothing that a
repository configures is run for it: no hook, no filter, no file watcher.

At the end Assent compares what the agent reports with its own record and with git: a phase counts when you approved its
commit and git still has that commit. The question shows the difference, and the result says it (\`isOnRecord\`). You can
approve all the same. What Assent checked is marked "Checked by Assent", apart from what the agent says.

An agent may also ask on its own: \`elicit_choice\`, \`elicit_input\` and \`elicit_confirm\`. None of the tools asks for passwords,
keys or tokens.

Everything is kept in one folder of yours (\`npx assent\` in a terminal says which; \`ASSENT_HOME\` moves it), and every decision
is in a record that can be checked.
`
