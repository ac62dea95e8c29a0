// The three tools that ask one question: their descriptions, and what the agent receives.

const yourAnswer = 'Your answer'
const completeQuestion = 'The question. It must be clear without the conversation, which the person may not see.'

export const choiceText = {
  title: 'Let the person choose',
  description:
    'Asks the user to choose one of several options and waits for the answer. Use it whenever a decision is theirs and the ' +
    'answers can be listed: which approach, which library, which name. Do not use it for what you can find out yourself, and ' +
    'do not guess instead of asking. If the status is not "answered", no option was chosen: follow the message.',
  input: {
    question: completeQuestion,
    options: 'From two to fifty, each different.',
    value: 'The value that you receive if this is chosen.',
    label: 'What the person reads; the value if left out.',
    suggested: 'The value that you would choose. It is marked as your suggestion.',
  },
  output: { choice: 'The chosen value.', label: 'What the person read.' },
  field: 'Your choice',
  sameValue: 'Two options have the same value.',
  unknownSuggestion: 'The suggested value is not among the options.',
  none: 'Nothing was chosen.',
  inWords: (question: string, options: readonly { readonly value: string; readonly label?: string | undefined }[]) => {
    const list = options.map(({ value, label }) => `- ${value}${label === undefined ? '' : `: ${label}`}`)
    return `${question}\n${list.join('\n')}\nPlease reply with one of these.`
  },
  chose: (label: string, value: string, comment: string) => `The person chose "${label}" (${value}).${comment}`,
}

export const inputText = {
  title: 'Ask the person for a value',
  description:
    'Asks the user for one value that only they know (a name, a number, a day, an address) and waits for the answer. Never ' +
    'for passwords, keys or tokens: such questions are refused. If the answers can be listed, use elicit_choice instead. If ' +
    'the status is not "answered", you have no value: follow the message, and do not make one up.',
  input: {
    question: completeQuestion,
    kind: 'The kind of value; text by default. A date is a day such as 2026-07-28.',
    suggested: 'Shown as your suggestion, which the person can take. It is not filled in.',
    length: 'Of text, in characters.',
    min: 'Of a number or integer.',
    max: 'Of a number or integer; with both, people get a slider.',
  },
  output: { value: 'The value that the person entered; a number if you asked for one.' },
  field: yourAnswer,
  none: 'No value was given.',
  inWords: (question: string) => `${question}\nPlease reply with your answer.`,
  answered: (value: string | number, comment: string) =>
    `The person answered: ${value}${comment === '' ? '' : `.${comment}`}`,
  numberHasNoLength: 'A number has no length: use min and max.',
  suggestNumber: 'The suggested value must be a number.',
  onlyNumberHasBounds: 'Only a number has min and max: use minLength and maxLength.',
  suggestText: 'The suggested value must be text.',
  dateHasNoLength: 'A date has no length.',
}

export const confirmText = {
  title: 'Ask for a yes or no',
  description:
    'Asks the user yes or no and waits for the answer. Use it before anything that cannot be undone or that they did not ask ' +
    'for: deleting, overwriting, publishing, spending. Continue only when "confirmed" is true. A no, a timeout and every ' +
    'error mean that you must not do it.',
  input: {
    question:
      'What will happen after a yes, for example "Delete the five artifacts in build/?". It must be clear without the conversation.',
    details: 'What the person needs to know to decide: the files, the command, what cannot be undone.',
    destructive: 'True when a yes leads to something that cannot be undone.',
  },
  output: { confirmed: 'True only when the person said yes.' },
  field: yourAnswer,
  none: 'Nothing was confirmed.',
  inWords: (message: string) => `${message}\nPlease reply with yes or no.`,
  answered: (isYes: boolean, comment: string) =>
    `${isYes ? 'The person said yes.' : 'The person said no. Do not do it.'}${comment}`,
}
