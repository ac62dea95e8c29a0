// What the agent of the recording does and prints.

export const words = {
  agent: 'demo-agent',
  task: 'add search to the notes',
  before: ['● Writes the search index', '● Runs the tests: 14 pass'],
  waits: '● Asks you, and waits …',
  ask: {
    question: 'Run the migration on the staging database?',
    details: 'It adds the table `note_index`. The app stays online. It takes about two minutes.',
  },
  after: ['● Runs the migration', '● Done: search works on staging'],
} as const
