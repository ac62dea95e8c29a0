// Why a call has no result: what callers and servers read in place of one.

const unknownEffect = 'Whether the call did anything is not known: check before calling it again.'

export const outcomeText = {
  asksDisabled: 'Asking people is switched off at this gateway (asks.enabled: false), so no person was asked.',
  undeclared: (capability: string) =>
    `The client did not declare ${capability}, so no person can be asked through it. Continue without an answer, or use a client that supports ${capability}.`,
  undeclaredMode: (mode: string) => `The client did not declare ${mode}. Ask in a mode that it declared.`,
  notSupported: (method: string) => `This gateway does not support ${method}.`,
  unknownTarget: 'No server offers anything with that name.',
  questionNotAllowed: (server: string, why: string | undefined) =>
    `${server} asked a question that is not allowed. ${why}`,
  keptAsking: (server: string) => `${server} kept asking questions that are not allowed.`,
  lost: `The gateway process that held this call has stopped or could not reach its database. ${unknownEffect}`,
  leaseLost: `The gateway could not reach its database for too long, so this call was ended. ${unknownEffect}`,
  carriedOn: `The server ended this call with another question, which the caller got. ${unknownEffect}`,
  callerLeft: 'The caller disconnected.',
  cancelledMeanwhile: `The caller cancelled this request while the server ran it. ${unknownEffect}`,
  unknown: `The gateway process that ran this call stopped, or could not reach its database, before it stored the outcome. ${unknownEffect}`,
  noStore:
    'The gateway cannot reach its database, so no person can be asked and no answer is accepted. If the call had started, whether it did anything is not known: check before calling it again.',
  noStoreRetry: 'The gateway cannot reach its database. Nothing is lost: retry later; an answer is recorded once.',
  noStoreUnsent: 'The gateway cannot reach its database. Nothing ran: try again later.',
  onlyAtClient:
    'The server asked for something that only the client which made the call can provide, so the call was cancelled.',
  tooMuchState: 'The state of the server is too large to be sent with the call.',
  tooLargeToStore:
    'A person has not answered yet, and this call is too large to be stored until then. Call it again with less data.',
  unknownAsk: 'Unknown ask_id. Its result may have expired.',
  unreadableDeferred: 'The stored state of that call can no longer be read.',
  unreadable: 'The stored state of this call cannot be read: it was changed, or its key is gone. Call the tool again.',
  resultTooLarge:
    'The server has finished this call, and its result was too large to store for a retry. Nothing was run again.',
  heldElsewhere:
    'Another Assent process holds this call, and this one cannot reach it. Fetch the result with the program that made the call.',
}
