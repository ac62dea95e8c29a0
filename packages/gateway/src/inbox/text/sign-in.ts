// Why a sign-in or a request of a browser was refused.

export const signInRefusals = {
  tooManyTabs: 'Too many tabs were opened. Run: assent inbox link',
  noLinks: 'This inbox uses accounts: sign-in links are not accepted.',
  noKey: 'The public key of the browser is missing.',
  signInAt: (origin: string) => `Sign in at ${origin}.`,
  unavailable: 'The sign-in provider cannot be reached. Nothing is lost: try again in a moment.',
  usedLink: 'This link was already used or has expired. Create a new one.',
  tooManyBrowsers: 'You are signed in with too many browsers. Sign out in one of them; this link stays valid.',
  signInFirst: 'Sign in first.',
  otherKey: 'The signature is not by the key of this session.',
  staleNonce: 'The nonce is stale, or was used before.',
  challenge: 'A challenge is 22 to 64 characters of base64url.',
  otherBody: 'The body is not the one that was signed.',
}
