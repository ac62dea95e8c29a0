// Opens a page of the inbox in the person's browser, signed in.

import { homeFolder } from '@assent/tools/home'
import { launch, openCommand } from './desktop.ts'
import { type RedirectFile, writeRedirectFile } from './redirect-file.ts'

/** The caller removes the file once the browser has read it. Rejects if there is no browser. */
export async function openSignedIn(link: string, variables: NodeJS.ProcessEnv): Promise<RedirectFile> {
  const file = writeRedirectFile(homeFolder(variables), link)
  try {
    const command = openCommand(file.path, process.platform, variables)
    if (command === undefined) throw new Error('There is no desktop where a browser could be opened.')
    await launch(command, variables)
    return file
  } catch (error) {
    file.remove()
    throw new Error('No browser could be opened.', { cause: error })
  }
}
