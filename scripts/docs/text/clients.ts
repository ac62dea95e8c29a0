// The text of the generated pages about clients.
import type { ClientReport } from '../../../packages/gateway/src/setup/doctor/client-report.ts'

export const clientPageText = {
  intro: (title: string) =>
    `Set up Assent in ${title}, so that your agent can stop and ask you. You need Node 22.18 or later.

Assent is not on npm yet. Until the first release, [install it from a clone](../first-minute.md#install-it-before-the-release).`,
  setUp: (id: string, title: string, next: string) =>
    `## Set it up

1. Run this command. It shows which files change, and writes them after your yes.

   \`\`\`sh
   npx assent init ${id}
   \`\`\`

2. ${next}

3. Check that it works. \`doctor\` starts the server as ${title} does.

   \`\`\`sh
   npx assent doctor
   \`\`\`

4. Ask your agent: "Ask me which colour I like, with elicit_choice."`,
  answerHere: (title: string) =>
    `5. Answer the question in ${title}. To answer in the [inbox](../../guides/inbox.md) instead, set the variable \`ASSENT_ASKS_SURFACES=inbox\` in the server
   entry. This is the same question there:`,
  answerInInbox: `5. Answer the question in the [inbox](../../guides/inbox.md). \`npx assent inbox open\` opens it in your browser, and \`npx assent inbox\` shows it in a
   terminal.`,
  picture: (title: string, file: string) =>
    `   ![A question from ${title} in the inbox, with the name of the project, its branch and three answers](../../screens/${file})`,
  userOnly: (title: string) =>
    `${title} has no configuration per project, so the server is always set up for all your projects.`,
  project: (id: string) =>
    `To set it up for everybody who works on a project, run this in the project, and commit the files:

\`\`\`sh
npx assent init ${id} --project
\`\`\``,
  questionsHeading: '## Where questions appear',
  questions: (title: string, { forms, links, inbox, waits }: ClientReport) => [
    ['question', `in ${title}`],
    ['Forms that it shows', forms],
    ['Links', links],
    ['What goes to the [inbox](../../guides/inbox.md) instead', inbox],
    ['How long a call waits for you', waits],
  ],
  writtenHeading: '## What is written',
  columns: { what: 'what', user: 'for you', project: 'with `--project`' },
  purposes: {
    server: 'the server entry',
    rules: 'rules: when the agent asks',
    agent: 'the agent Conductor',
    command: 'the command `/conductor`',
  },
  none: 'none',
  same: 'the same',
  onPlatform: { darwin: 'the server entry, macOS', win32: 'the server entry, Windows' },
  rulesInProjectOnly:
    'Rules are written only with `--project`. Use it, or write in your prompt: "Ask me before you continue."',
  noRulesAtAll:
    'Rules cannot be written for this client. The server sends its own instructions; you can also write in your prompt: "Ask me before you continue."',
  entry:
    'You can also write the server entry yourself. (If you installed Assent, `init` writes the path of the program instead of `npx`.)',
  undo: `Revert what \`init\` wrote for you. For the files of a project, add \`--project\`:

\`\`\`sh
npx assent init --undo
\`\`\``,
  limitsHeading: '## Known limits',
  limits: (title: string, limits: readonly string[]) =>
    limits.length === 0
      ? 'None are known.'
      : limits.map((limit) => `- ${limit.replaceAll('{client}', title)}`).join('\n'),
  limit: {
    noForms: '{client} shows no questions itself. You answer in the inbox, in the browser or in a terminal.',
    noLinks: '{client} shows no links that servers send. Pages for secrets open from the inbox.',
    fast: '{client} can answer by itself, without showing you anything. Such an answer does not count as an approval: you are asked again in the inbox.',
    handle:
      '{client} ends calls that take long. The agent then gets a handle, and fetches your answer with `assent__await_answer`. The question stays open.',
    noRules: 'Without rules for all your projects, the agent asks less often on its own.',
    noCommand: '{client} has no command `/conductor`. Ask for a plan in your own words.',
    userOnly: 'The server entry of {client} cannot be shared with a project.',
  },
  furtherReading: `## Read on

- [Set it up for your agent](index.md): all options of \`init\` and \`doctor\`
- [Review plans and commits](../../guides/conductor.md)
- [Troubleshooting](../../guides/troubleshooting.md)

This page is generated from the data that \`assent init\` and \`assent doctor\` use.`,
}
