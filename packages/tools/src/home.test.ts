import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeFolder } from './home.ts'

test('[ALONE-9] the home folder follows the conventions of the system, or ASSENT_HOME', () => {
  expect(homeFolder({ ASSENT_HOME: '/a', XDG_STATE_HOME: '/b' })).toBe('/a')
  expect(homeFolder({ ASSENT_HOME: '', XDG_STATE_HOME: '/b' }, 'darwin')).toBe(join('/b', 'assent'))
  expect(homeFolder({}, 'linux')).toBe(join(homedir(), '.local', 'state', 'assent'))
  expect(homeFolder({}, 'darwin')).toBe(join(homedir(), 'Library', 'Application Support', 'assent'))
  expect(homeFolder({ LOCALAPPDATA: '/l' }, 'win32')).toBe(join('/l', 'assent'))
})
