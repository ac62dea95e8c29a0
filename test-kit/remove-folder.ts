import { rm } from 'node:fs/promises'

/** Repeats for about five seconds: a process that was told to stop may still write into its folder. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
