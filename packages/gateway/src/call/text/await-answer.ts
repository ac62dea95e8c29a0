// The tool that fetches the result of a deferred call, and what a caller reads while a person has not answered.

interface PendingText {
  readonly tool: string
  readonly askId: string
  readonly expiresAt: string
  readonly askUrl: string | undefined
  readonly needs: string | undefined
  readonly isAnswered: boolean
}

export const awaitText = {
  title: 'Wait for a person',
  description:
    'Fetches the result of an earlier call that is waiting for a person. Use it with the ask_id that the earlier call ' +
    'returned. It waits a while for the person; if they have not answered yet, the result says so and it can be called again. Do not ' +
    'repeat the earlier call instead: that would ask the person again.',
  askId: 'The ask_id of the call that is waiting.',
  pending: ({ tool, askId, expiresAt, askUrl, needs, isAnswered }: PendingText) => {
    const where = askUrl === undefined ? 'in the Assent inbox' : `in the Assent inbox at ${askUrl}`
    const reason = isAnswered
      ? 'the person has answered, and it is running. Call'
      : needs === undefined
        ? `it waits for a person, who is asked ${where} until ${expiresAt}. Tell them so. Then call`
        : `it needs ${needs}, which can be given ${where} until ${expiresAt}. Tell your user. Then call`
    return (
      `This call is not finished: ${reason} ${tool} with {"ask_id": "${askId}"} to get the result. ` +
      'Do not make the same call again.'
    )
  },
  unknown: (tool: string, askId: string) =>
    'The gateway cannot reach its database, so it is not known whether the person has answered. Nothing is lost: call ' +
    `${tool} with {"ask_id": ${JSON.stringify(askId)}} again later. Do not make the earlier call again.`,
}
