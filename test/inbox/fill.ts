// Fills in each sample form in a browser, with the content that must arrive.
import type { Page } from 'playwright-core'

interface Filling {
  fill(page: Page): Promise<void>
  readonly arrives: Readonly<Record<string, unknown>>
}

export const fillings: Readonly<Record<string, Filling>> = {
  text: {
    fill: async (page) => {
      await page.getByLabel('Name').fill('Day walk')
      await page.getByLabel('Liner notes').fill('One line\nand another')
    },
    arrives: { name: 'Day walk', notes: 'One line\nand another' },
  },
  formats: {
    fill: async (page) => {
      await page.getByLabel('Email').fill('ann@example.com')
      await page.getByLabel('Agenda').fill('https://example.com/agenda')
      await page.getByLabel('Day').fill('2026-11-20')
      await page.getByLabel('Begins at').fill('2026-11-20T09:30:00')
    },
    arrives: { email: 'ann@example.com', page: 'https://example.com/agenda', day: '2026-11-20' },
  },
  numbers: {
    fill: async (page) => {
      await page.getByRole('button', { name: 'Use the suggestion for Tempo' }).click()
      await page.getByRole('slider', { name: 'Tempo' }).press('ArrowRight')
      await page.getByRole('textbox', { name: 'Gain' }).fill('-1.5')
      await page.getByLabel('Bars').fill('16')
      await page.locator('.star').nth(3).click()
    },
    arrives: { tempo: 121, gain: -1.5, bars: 16, rating: 4 },
  },
  choices: {
    fill: async (page) => {
      await page.getByRole('radio', { name: 'No', exact: true }).check()
      await page.getByRole('radio', { name: 'C: half time' }).check()
      await page.getByRole('combobox', { name: 'Key' }).fill('F♯')
      await page.getByRole('option', { name: 'F♯' }).click()
      await page.getByRole('checkbox', { name: 'bass' }).check()
      await page.getByRole('checkbox', { name: 'voice' }).check()
    },
    arrives: { loop: false, variation: 'c', key: 'F♯', stems: ['bass', 'voice'] },
  },
}
