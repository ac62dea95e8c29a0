// Detects which clients are used on this machine or in this repository.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type InitClient, initClients } from './clients.ts'
import { hasCommand, type Machine } from './machine.ts'
import { foundText } from './text/clients.ts'

export interface DetectedClient {
  readonly client: InitClient
  readonly onMachine: boolean
  readonly inRepository: boolean
}

export function findClients(machine: Machine): DetectedClient[] {
  return initClients
    .map((client) => found(client, machine))
    .filter(({ onMachine, inRepository }) => onMachine || inRepository)
}

export function found(client: InitClient, machine: Machine): DetectedClient {
  const { home, repository } = client.marks(machine)
  const root = machine.repository
  return {
    client,
    onMachine: home.some((path) => existsSync(path)) || client.commands.some((one) => hasCommand(machine, one)),
    inRepository: root !== undefined && repository.some((path) => existsSync(join(root, path))),
  }
}

export function whereFound({ onMachine, inRepository }: DetectedClient): string {
  if (onMachine && inRepository) return foundText.both
  if (onMachine) return foundText.machine
  return inRepository ? foundText.repository : foundText.named
}
