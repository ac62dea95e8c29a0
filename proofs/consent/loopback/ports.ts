// Another program on the inbox's port: at its other address, before and after the inbox starts, and instead of the inbox
// when the command line or another window looks for it.

import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../../../test-kit/listen.ts'
import { plainEnvironment, startGatewayProcess } from '../gateway-process.ts'
import { inboxLink } from '../person.ts'
import { startStdioClient } from '../stdio-client.ts'
import { aTrap, type Received, rawRequest, type Trap } from './raw-http.ts'
import type { Attack, LoopbackScene } from './scene.ts'
import type { AttackTally } from './tally.ts'

const addresses = ['127.0.0.1', '::1', '0.0.0.0', '::'] as const
const challengeOnly = /^GET \/api\/listener\?challenge=[\w-]{43}$/

export const otherAddress: Attack = {
  name: 'other address of the port',
  run: async (scene, tally) => {
    const free = await aTrap({ host: '::1' })
    tally.control('this machine has ::1, and a program can listen there', await isReached(free.port, free))
    await free.close()
    for (const host of addresses) {
      for (const reusePort of [false, true]) {
        const trap = await aTrap({ host, port: scene.port, reusePort }).catch(ifTaken)
        const got = trap !== undefined && (await isReached(scene.port, trap))
        await trap?.close()
        tally.attempt(`${host}${reusePort ? ' (shared)' : ''}`, '', got ? 'receives what is for the inbox' : undefined)
      }
    }
    if (scene.isFull) for (const host of addresses) await squattedBefore(scene, tally, host)
  },
}

/** The program has one address of the port before the gateway starts. */
async function squattedBefore({ program, folder, config }: LoopbackScene, tally: AttackTally, host: string) {
  const trap = await aTrap({ host })
  const place = join(folder, `squatted-${host.replaceAll(/\W/g, '-')}`)
  mkdirSync(place, { recursive: true })
  const started = await startGatewayProcess({
    program,
    folder: place,
    config: config.replace(join(folder, 'assent.db'), join(place, 'assent.db')),
    listen: `127.0.0.1:${trap.port}`,
  }).catch(() => undefined)
  const isShared = started !== undefined && new URL(started.origin).port === String(trap.port)
  tally.attempt(`${host} before the start`, '', isShared ? 'shares the port with the inbox' : undefined)
  tally.control('the squatter still listens', await isReached(trap.port, trap))
  await started?.stop()
  await trap.close()
}

/** Whether a program that connects to the port at either address is connected to this listener. */
async function isReached(port: number, { received }: Trap): Promise<boolean> {
  const before = received.length
  for (const address of ['127.0.0.1', '::1'] as const) {
    await rawRequest({ port, path: '/probe', address }).catch(() => undefined)
  }
  return received.length > before
}

function ifTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EADDRINUSE') throw error
}

type Impostor = (scene: LoopbackScene) => (request: Received, response: ServerResponse) => void | Promise<void>

async function relayed({ port, origin }: LoopbackScene, { path }: Received): Promise<string> {
  return (await rawRequest({ port, path, headers: { host: new URL(origin).host } })).text
}

/** Impostors: each answers the question whether it is the inbox. */
const impostors: Readonly<Record<string, Impostor>> = {
  'passes the challenge on': (scene) => async (request, response) => void response.end(await relayed(scene, request)),
  'passes the challenge on and names its own port': (scene) => async (request, response) => {
    const view = JSON.parse(await relayed(scene, request))
    const { port } = response.req.socket.address() as { port: number }
    response.end(JSON.stringify({ ...view, origin: `http://localhost:${port}` }))
  },
  'sends a proof that it got before': (scene) => {
    const earlier = relayed(scene, { method: 'GET', path: listenerPath('e'), headers: {}, body: '' })
    return async (_, response) => void response.end(await earlier)
  },
  'sends the program to the inbox': (scene) => (request, response) => {
    response.writeHead(302, { location: `${scene.origin}${request.path}` }).end()
  },
  'sends no proof': (scene) => (_, response) => {
    response.end(JSON.stringify({ instance: 'i'.repeat(22), origin: scene.origin, proofs: [] }))
  },
  'sends empty proofs': () => (_, response) => {
    const { port } = response.req.socket.address() as { port: number }
    response.end(JSON.stringify({ instance: '', origin: `http://localhost:${port}`, proofs: ['', null, {}] }))
  },
  'sends a page': () => (_, response) => void response.end('<title>Assent</title>'),
  'sends the challenge back':
    () =>
    ({ path }, response) => {
      const { port } = response.req.socket.address() as { port: number }
      const proofs = [path.split('=')[1]]
      response.end(JSON.stringify({ instance: 'i'.repeat(22), origin: `http://localhost:${port}`, proofs }))
    },
}

function listenerPath(character: string): string {
  return `/api/listener?challenge=${character.repeat(43)}`
}

export const linkWithImpostor: Attack = {
  name: '`inbox link` with an impostor on the port',
  run: async (scene, tally) => {
    const { program, folder, config } = scene
    const names = Object.keys(impostors)
    for (const name of scene.isFull ? names : names.slice(1, 2)) {
      const trap = await aTrap({ respond: impostors[name]?.(scene) ?? (() => undefined) })
      const file = join(folder, 'impostor.yaml')
      writeFileSync(file, `listen: "127.0.0.1:${trap.port}"\n${config}`)
      const link = await inboxLink(program, ['--config', file], folder, plainEnvironment(folder)).catch(() => '')
      tally.attempt(`a program that ${name}`, link, link === '' ? undefined : 'was taken for the inbox: a code is out')
      tally.control('the impostor was asked', trap.received.length > 0)
      onlyChallenges(tally, trap)
      await trap.close()
    }
  },
}

/** `npx assent` with a squatter on one address of its port, which forwards challenges to the real inbox. */
export const standaloneWithImpostor: Attack = {
  name: 'standalone program with an impostor on the port',
  run: async ({ program, folder }, tally) => {
    for (const host of ['127.0.0.1', '::1']) {
      const place = join(folder, `alone-${host.replaceAll(/\W/g, '-')}`)
      for (const part of ['home', 'project']) mkdirSync(join(place, part), { recursive: true })
      let inbox: string | undefined
      const port = await freePort()
      const trap = await aTrap({
        host,
        port,
        respond: async ({ path }, response) => {
          const reply = inbox === undefined ? undefined : await fetch(`${inbox}${path}`).catch(() => undefined)
          response.end(reply === undefined ? 'hello' : await reply.text())
        },
      })
      const env = { ...plainEnvironment(place), ASSENT_LISTEN: `127.0.0.1:${port}` }
      const project = join(place, 'project')
      const agent = await startStdioClient({ program, cwd: project, env })
      const calling = agent.call('elicit_confirm', { question: 'Start?' }).catch(() => undefined)
      const link = await untilLink(() => inboxLink(program, [], project, env))
      inbox = new URL(link).origin
      const again = await inboxLink(program, [], project, env).catch(() => '')
      tally.control('a link into the true inbox', link !== '' && again !== '')
      for (const one of [link, again]) {
        const isOurs = new URL(one).port !== String(port)
        tally.attempt(`${host}: a code`, '', isOurs ? undefined : 'is for the port of the impostor')
      }
      const own = Number(new URL(link).port)
      for (const other of ['127.0.0.1', '::1']) {
        const half = await aTrap({ host: other, port: own }).catch(ifTaken)
        await half?.close()
        tally.attempt(`${other} of the new port`, '', half === undefined ? undefined : 'is free for another program')
      }
      onlyChallenges(tally, trap)
      tally.control('the impostor still has the port', await isReached(port, trap))
      await agent.close()
      await calling
      await trap.close()
    }
  },
}

function onlyChallenges(tally: AttackTally, { received }: Trap): void {
  for (const { method, path, headers, body } of received) {
    const isChallenge = challengeOnly.test(`${method} ${path}`) && headers.cookie === undefined && body === ''
    if (!isChallenge) tally.succeeded(`the impostor was sent ${method} ${path} ${JSON.stringify(headers)} ${body}`)
  }
}

async function untilLink(make: () => Promise<string>): Promise<string> {
  const endsAt = performance.now() + 30_000
  for (;;) {
    const link = await make().catch((error: unknown) => {
      if (performance.now() > endsAt) throw error
      return undefined
    })
    if (link !== undefined) return link
  }
}
