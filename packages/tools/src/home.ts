// The folder where Assent keeps what belongs to one user on one machine: the store, keys and stored plans.

import { homedir } from 'node:os'
import { join } from 'node:path'

/** `ASSENT_HOME` if it is set, otherwise the system's usual folder for the state of an application. */
export function homeFolder(
  variables: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  const { ASSENT_HOME: own, XDG_STATE_HOME: state, LOCALAPPDATA: local } = variables
  if (isGiven(own)) return own
  if (isGiven(state)) return join(state, 'assent')
  if (platform === 'win32') return join(isGiven(local) ? local : join(home, 'AppData', 'Local'), 'assent')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'assent')
  return join(home, '.local', 'state', 'assent')
}

function isGiven(variable: string | undefined): variable is string {
  return variable !== undefined && variable !== ''
}
