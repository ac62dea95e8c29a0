// Why a file is not changed. Each is a part of a sentence after the name of the file: "settings.json: it is not UTF-8."

export const fileText = {
  notAFile: 'it is not a file',
  tooLarge: (bytes: number) => `it is larger than ${bytes} bytes`,
  brokenLink: 'it is a broken link',
  notUtf8: 'it is not UTF-8',
  noReadPermission: 'this user has no permission to read it',
  unreadable: (code: string | undefined) => `it cannot be read (${code})`,
  noWritePermission: 'this user has no permission to write it',
}

/** The file is outside the folder in which init may write. */
export const targetText = {
  brokenLink: 'it is, or is behind, a broken link',
  outside: (path: string, folder: string) => `its real path is ${path}, outside ${folder}`,
  repository: (root: string) => `the repository ${root}`,
  home: 'your home folder',
  inGit: (path: string) => `its real path is ${path}, in git's own folder`,
}

/** The file changed between the plan and the write, or the record does not describe it. */
export const applyText = {
  changedMeanwhile: 'it changed while the confirmation was open; run init again',
  changedBeforeUndo: 'it changed while the confirmation was open; run undo again',
  noClient: 'the record does not name its client',
}

/** The file has another content than an edit needs. */
export const editText = {
  invalid: (format: 'JSON' | 'TOML' | 'YAML', line?: number) =>
    line === undefined ? `it is not valid ${format}` : `line ${line} is not valid ${format}`,
  notAnObject: 'it is not a JSON object',
  duplicate: (name: string) => `"${name}" is given twice`,
  setOtherwise: (entry: string) => `${entry} has another value`,
  notAnObjectAt: (entry: string) => `${entry} is not an object`,
  notATable: (entry: string) => `${entry} is not a plain table, so an entry cannot be added`,
  notAMap: (entry: string | undefined) => `${entry} is not a map with one entry per line`,
  cannotAdd: 'the entry cannot be added without changing something else',
  cannotRemove: 'the entry cannot be removed without changing something else',
  tooManyAliases: 'its aliases expand to too much content',
  changed: (entry: string) => `${entry} was changed since`,
  rewritten: (entry: string) => `${entry} was rewritten since`,
  otherParts: (entry: string) => `${entry} has other parts in this file`,
  fileChanged: 'it was changed since',
  otherFile: 'a file with this name and other content exists',
  blockDiffers: 'its Assent block was changed',
  blockChanged: 'its Assent block was changed since',
  endWithoutBegin: 'it has the end of an Assent block without its beginning',
  agentTools: 'its list of tools is not understood',
  agentChanged: 'the part that Assent wrote was changed since',
}

/** The comments around our block in a Markdown file of the user. The first words of `begin` are how a block is found. */
export const blockMarkers = {
  begin: '<!-- assent:begin (written by `assent init`, removed by `assent init --undo`) -->',
  anyBegin: '<!-- assent:begin',
  end: '<!-- assent:end -->',
}
