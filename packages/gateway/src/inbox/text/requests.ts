// Why the inbox refused a request that is not about one answer or sign-in. Pages show these texts as they are.

export const requestRefusals = {
  unknownHost: 'Unknown host name.',
  otherOrigin: 'Origin not allowed.',
  ownHeader: (header: string) => `Requests that change something need the header ${header}: 1.`,
  notJson: 'Requests that change something must be application/json.',
  tooManyParts: 'The body has too many parts, or is nested too deep.',
  notAnObject: 'The body is not a JSON object.',
  tooLarge: (maxBytes: number) => `The body is larger than ${maxBytes} bytes.`,
  internal: 'Internal error. Reload to see whether your answer was recorded.',
  tooManyPages: 'Too many pages are open. Close some of them.',
  noStore: 'The store cannot be reached. Nothing is lost: try again; the same answer is recorded once.',
}

/** For a server behind the gateway, and the person whom it asks for a secret. */
export const secretPageRefusals = {
  notForServers: 'The link points into the inbox. A server may only link to a secret page that it opened itself.',
  notTheirs: 'The link points to a secret page that is not open for this server and this person. No person was asked.',
  lookalike: 'The link looks like a secret page but points elsewhere. No person was asked.',
  internal: 'Internal error of the gateway. Try again.',
  token: 'The token of a server that may ask for secrets is required.',
  publicKey: 'A public key in base64url is required.',
  lifetime: 'The lifetime of the page must be a whole number of milliseconds.',
  tooMany: 'Too many pages for secrets are open. Try again when some have been used.',
}

export const playRunText = {
  unreachable: (reason: string) => `The server cannot be reached, and nothing ran. ${reason}`,
  incomplete: 'A run needs a tool and its arguments.',
  tooMany: 'Too many tools are running. Stop one, or wait until one ends.',
  stoppedByPerson: 'Stopped by the person.',
  stopped: 'Stopped.',
  gatewayStopped: 'The gateway has stopped.',
  share: (done: string, total: number) => `${done} of ${total}`,
  notShown: (characters: number) => `${characters} characters, not shown`,
}
