// How an approval is drawn and decided in the terminal.

import { type Action, actionDigest, checkedBlock, choice, form, type Question, text } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { accepted, action, approval, asks } from './questions.suite.ts'

test('[CARD-5] [CARD-6] a question of another server shows the call, and a form without fields has our own title', async () => {
  const call = { tool: 'wipe_disk', arguments: { path: '/', recursive: true } }
  const others = { isRelayed: true, asker: { server: 'deploy' } } as const
  const message = 'Let read_file continue'

  const empty = fakeTerminal()
  const confirming = empty.terminal.ask({ kind: 'form', message, form: { fields: [] }, call }, others)
  await empty.sees('deploy asks you to confirm: wipe_disk')
  await empty.sees('recursive  true')
  await empty.sees('says (not checked by Assent)')
  await empty.press(key.enter)
  await empty.sees('Choose one first')
  await empty.press('y', key.enter)
  expect(await confirming).toEqual(accepted({}))

  const plain = fakeTerminal()
  const asking = plain.terminal.ask({ ...asks(message, form({ name: text() })), call } as Question, others)
  await plain.sees('the call wipe_disk on deploy')
  await plain.sees('recursive  true')
  await plain.press(key.ctrlC)
  await asking

  const link = fakeTerminal()
  const opening = link.terminal.ask(
    { kind: 'url', message, url: 'https://example.com/', call: { tool: 'wipe_disk' } },
    others,
  )
  await link.sees('the call wipe_disk on deploy')
  await link.sees('its arguments are too large to show here')
  await link.press(key.ctrlC)
  await opening
})

test('[TERM-4] an approval is drawn from the action, and the claim of the asker is set apart', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const outcome = terminal.ask(approval, { asker: { server: 'acme', tool: 'deploy' } })

  await sees('acme · deploy asks for your approval')
  await sees('env       production')
  await sees('replicas  4')
  await sees('version   "4"')
  await sees('-  a')
  await sees('calls deploy on acme')
  await sees('┊ It is safe.')
  await sees('Dismiss')
  await press('y', key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'accept' } })
  expect(drawn()).not.toMatch(/\b(submit|ok|confirm)\b/i)
})

test('[TERM-4] an action that does not match its digest is never shown', async () => {
  const { terminal } = fakeTerminal()
  const swapped: Question = { ...approval, action: { ...action, arguments: { env: 'staging' } } }
  const unnamed = { ...approval, action: { ...action, arguments: { n: Number.NaN } } } as Question

  expect(await terminal.ask(swapped)).toMatchObject({ kind: 'undeliverable' })
  expect(await terminal.ask(unnamed)).toMatchObject({ kind: 'undeliverable' })
})

test('[TERM-4] an action that is too long is marked as cut, and can be shown in full', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const long: Action = { ...action, arguments: { script: `${'x'.repeat(700)} END-OF-SCRIPT` } }
  const outcome = terminal.ask({ ...approval, action: long, digest: actionDigest(long) } as Question)

  await sees('more characters⟩')
  await sees('Show all of it')
  await press('s', key.enter)
  await sees('END-OF-SCRIPT')
  await sees('Your decision')
  await press('n', key.enter)
  await sees('Why?')
  await press('too long', key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline', comment: 'too long' } })
})

test('[TERM-5] keys that were typed before a decision was drawn do not decide it', async () => {
  const { terminal, press, sees } = fakeTerminal({ settleMs: 2_000 })
  const outcome = terminal.ask(approval)

  await sees('Dismiss')
  await press('y', key.enter)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  await press(key.enter)
  await sees('Choose one first')
  await press('n', key.enter)
  await sees('Why?')
  await press(key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[POINT-16] what Assent checked has its own block before the text of the asker', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const checked = '- Nothing is committed: a\u001b[2Jb.'
  const message = `Continue?\n\n${checkedBlock(checked)}\n\n- All is committed.`
  const question: Question = { kind: 'form', message, form: form({ name: text({ title: 'Name' }) }), checked }
  const outcome = terminal.ask(question, { isRelayed: true })

  await sees('Checked by Assent')
  await sees('- Nothing is committed: a⟨U+001B⟩[2Jb.')
  await sees('┊ - All is committed.')
  expect(drawn()).not.toContain('┊ - Nothing is committed')
  expect(drawn().indexOf('Checked by Assent')).toBeLessThan(drawn().indexOf('says (not checked by Assent)'))
  await press('x', key.enter)
  await outcome
})

test('[TERM-4] an approval sent as a form is drawn as an approval: the call, the text set apart, nothing chosen', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const question: Question = {
    kind: 'form',
    message: 'Nothing will be deleted.',
    form: form({ decision: choice({ approve: 'Approve', decline: 'Decline' }, { title: 'Decision' }) }),
    call: { tool: 'delete', arguments: { path: '/srv', note: 'x\u001b[2J', deep: { list: ['y'.repeat(900)] } } },
  }
  const outcome = terminal.ask(question, { isRelayed: true, asker: { server: 'files' } })

  await sees('files asks for your approval')
  await sees('Let delete continue')
  await sees('/srv')
  await sees('x⟨U+001B⟩[2J')
  await sees('┊ Nothing will be deleted.')
  await press(key.enter)
  await sees('Choose one first')
  await press('s', key.enter)
  await sees('y'.repeat(60))
  await sees('Your decision')
  expect(drawn()).not.toContain('(1 of')
  await press('y', key.enter)
  expect(await outcome).toEqual(accepted({ decision: 'approve' }))
})
