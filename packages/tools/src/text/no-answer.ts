// What an agent receives when there is no answer: what that means, and what it does now. And the comment of a person.

const fields = {
  status: 'answered: a person answered. Anything else: there is no answer, and the message says what to do.',
  message: 'The result in one sentence, to show to the user.',
  next: 'Without an answer: what that means, and what you do now.',
  comment: 'The comment that the person wrote with their answer, a decline or a dismissal. Take it into account.',
}

/** By the status of the result. */
const next = {
  declined:
    'A person said no. Do not ask again and do not look for a way around it; ask them in the chat what they want instead.',
  cancelled: 'Nothing was decided. Ask the user in the chat whether to continue before calling this tool again.',
  timed_out:
    'No answer in time; treat it as a no. Stop here, tell the user that their answer is needed, and call this tool again when they are back.',
  unseen:
    'No person decided; treat it as a no. Tell the user that their client accepts approvals by itself, and ask them in the chat.',
  channel_closed:
    'The connection to the person was lost; treat it as a no. Call this tool again when the user is connected.',
  validation_failed: 'The answer does not fit the question; treat it as a no. Call this tool again to ask once more.',
  not_supported: (inWords: string) =>
    `No person saw this question. STOP, show the user the following, and wait for their reply in the chat:\n\n${inWords}`,
  refused: 'No person was asked. Change the question as described in the message, or ask the user in the chat.',
}

const noSecrets =
  'This tool cannot ask for secrets (passwords, keys, tokens, codes). Ask the user in the chat to enter the secret ' +
  'themselves where it is needed, for example in an environment variable, a local file that is not committed, or the ' +
  "program's own login, and to reply when that is done. Do not ask them to paste it."

const wrote = (text: string) => ` They wrote: "${text}"`

export const noAnswerText = { fields, next, noSecrets, wrote }
