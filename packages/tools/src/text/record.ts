// The record of a plan: its completion file, and what is said about it.

/** Describes the output `completionFile` of every checkpoint. */
export const recordedIn = 'The file in the project where the decision is recorded.'

export const recordText = {
  recorded: (file: string) => `It is recorded in ${file}.`,
  notRecorded: (why: string) => `It could not be written to the completion file: ${why}`,
  notProject: (folder: string) => `${folder} is not a project. Start this server in the project's folder.`,
  outside: (folder: string) => `${folder} leads out of the project.`,
  notRegular: (file: string) => `${file} is not a regular file.`,
  tooLarge: (file: string) => `${file} is too large to add to.`,
  /** Around the list of decisions in the file; both are searched for, so a change leaves old lists where they are. */
  opening: '<!-- assent: what people decided; lines are added here -->',
  closing: '<!-- assent: end -->',
  heading: '## Decisions',
  declined: (subject: string, added: string) => `${subject} declined${added}`,
  dismissed: (subject: string, added: string) => `${subject} not decided, because the question was dismissed${added}`,
  timedOut: (subject: string) => `${subject} not decided, because no person answered in time.`,
}

/** The form of every checkpoint. */
export const checkpointText = {
  decision: 'Decision',
  comment: 'Comment',
  /** Asked after the decision, where a plan that mentions secrets may not be shown beside a text field. */
  whatToChange: 'What should be different?',
}
