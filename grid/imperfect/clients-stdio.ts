// Imperfect stdio clients of the session-based revisions.

import { RawStdio } from '../compare/raw-stdio.ts'
import type { Case, Play } from './case.ts'
import { callEcho, client, request } from './raw-messages.ts'
import type { Visit } from './visit.ts'

async function onPipe({ address }: Visit, play: (pipe: RawStdio) => Promise<void>): Promise<void> {
  const pipe = new RawStdio(address)
  try {
    await play(pipe)
  } finally {
    await pipe.end()
  }
}

const open = (capabilities: object = {}) => ({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'grid-raw', version: '1' } },
})

const onPipeCrlf: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    const write = (message: object) => pipe.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n`)
    write(open())
    visit.note('opened', (await pipe.reply(0)) !== undefined)
    write({ method: 'notifications/initialized' })
    write(callEcho(1))
    visit.note('call', await pipe.reply(1))
    pipe.write('\r\n')
    write(callEcho('1', 'Again.'))
    visit.note('again', await pipe.reply('1'))
  })

const onPipeHurried: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    // Everything in one write, without waiting for the first reply.
    const all = [open(), callEcho(1, 'One.'), request(2, 'ping'), callEcho(3, 'Three.')]
    pipe.write(all.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
    for (const id of [1, 2, 3]) visit.note(`reply ${id}`, await pipe.reply(id))
  })

const onPipeTwiceOpened: Play = (visit) =>
  onPipe(visit, async (pipe) => {
    pipe.send(open())
    visit.note('first', (await pipe.reply(0)) !== undefined)
    pipe.send({ ...open(), id: 'again' })
    const again = await pipe.reply('again')
    visit.note('second', again === undefined ? 'none' : 'result' in again ? 'opened' : 'refused')
    pipe.send(callEcho(1))
    visit.note('call', await pipe.reply(1))
  })

export const stdioClients: readonly Case[] = [
  client('2025', 'writes CRLF', onPipeCrlf, { transport: 'stdio' }),
  client('2025', 'does not wait for initialize', onPipeHurried, { transport: 'stdio' }),
  client('2025', 'opens twice', onPipeTwiceOpened, { transport: 'stdio' }),
]
