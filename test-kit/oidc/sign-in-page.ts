// Signing in with a real browser: on the page of the inbox, and on the pages of the OpenID provider.

import type { Page } from 'playwright-core'

/** On a page of the inbox where the person is signed out. The browser then returns to that page. */
export async function signInOnPage(page: Page, person: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('input[name=login]').fill(person)
  await page.locator('input[name=password]').fill('x')
  await page.locator('button[type=submit]').click()
  await page.getByRole('button', { name: 'Continue' }).click()
}
