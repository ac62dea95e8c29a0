// A passkey in the virtual authenticator of a real browser: the browser itself writes what is signed, with the origin of its page.
import type { PasskeyAddStartView } from '@assent/core'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { aBrowser } from '../../test-kit/chromium.ts'

type Creation = PasskeyAddStartView['creation']

// Both run in the page.
const creating = `async (json) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json)
  return (await navigator.credentials.create({ publicKey })).toJSON()
}`
const signing = `async (json) => {
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json)
    return (await navigator.credentials.get({ publicKey })).toJSON()
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}`

export class BrowserPasskey {
  readonly #browser: Browser
  readonly #page: Page
  readonly #cdp: CDPSession
  readonly #authenticatorId: string

  private constructor(browser: Browser, page: Page, cdp: CDPSession, authenticatorId: string) {
    this.#browser = browser
    this.#page = page
    this.#cdp = cdp
    this.#authenticatorId = authenticatorId
  }

  static async open(): Promise<BrowserPasskey> {
    const browser = await aBrowser()
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    // Every address is an empty page, so that any origin can be tried.
    await context.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: '<title>page</title>' }))
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable', { enableUI: false })
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...({ protocol: 'ctap2', transport: 'internal' } as const),
        ...{ hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
    return new BrowserPasskey(browser, page, cdp, authenticatorId)
  }

  /** Whether the person passes the check of their device. */
  async verify(isUserVerified: boolean): Promise<void> {
    const authenticatorId = this.#authenticatorId
    await this.#cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
  }

  async create(creation: Creation, origin: string): Promise<unknown> {
    await this.#visit(origin)
    return this.#page.evaluate(`(${creating})(${JSON.stringify(creation)})`)
  }

  /** Undefined if the browser does not sign this on a page of this origin. */
  async get(request: object, origin: string): Promise<unknown> {
    await this.#visit(origin)
    return this.#page.evaluate(`(${signing})(${JSON.stringify(request)})`)
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }

  async #visit(origin: string): Promise<void> {
    if (new URL(this.#page.url()).origin !== origin) await this.#page.goto(origin)
  }
}
