// What the analysis found, one sentence each, and what it could not read.

export const contradictionText = {
  choices: (topic: string, about: string, one: string, first: string, other: string, second: string) =>
    `About ${topic}${about === '' ? '' : ` (${about})`}: ${one} chooses ${first}, ${other} chooses ${second}.`,
  forbidden: (rule: string, ban: string) => `${rule} is a rule, ${ban} forbids the same.`,
  statement: (text: string, place: string) => `“${text}” (${place})`,
}

export const duplicateText = {
  inBoth: (count: number, first: string, other: string, isCut: boolean) =>
    `${count === 1 ? 'One statement is' : `${count} statements are`} in both ${first} and ${other}${isCut ? ', of which the first are named here' : ''}; a change to one copy is easily missed in the other.`,
  repeated: (path: string, times: number) => `${path} contains the same statement ${times} times.`,
  heading: (path: string, title: string) =>
    `${path} has the heading “${title}” twice; it is unclear which of the two counts.`,
}

export const deadReferenceText = {
  path: (file: string, path: string) => `${file} names ${path}, which is not in the repository.`,
  script: (file: string, command: string) =>
    `${file} says “${command}”, and no package.json here has a script of that name.`,
  pattern: (file: string, pattern: string) => `${file} is for files that match ${pattern}, and there are none.`,
  link: (path: string, why: string) => `${path} is a symbolic link that cannot be used: ${why}.`,
}

export const readDifferentlyText = {
  wrongCase: (path: string, proper: string) =>
    `${path} is found as ${proper} where case does not matter (macOS, Windows), but not where it does (Linux).`,
  wrongEnding: (path: string) =>
    `${path} is in the folder of Cursor's rules, but Cursor reads only files that end in .mdc.`,
  importNotFollowed: (path: string, target: string, agents: string) =>
    `${path} imports ${target}; ${agents} do not follow imports and read only its name.`,
  foreignConditions: (path: string, keys: readonly string[], agent: string, own: string | undefined) =>
    `${path} sets ${keys.join(' and ')}, and is read by ${agent}, ${own === undefined ? 'which has no such conditions there' : `which looks for ${own}`}.`,
  byHandOnly: (path: string, isCursorRule: boolean) =>
    `${path} has ${isCursorRule ? 'neither alwaysApply, globs nor a description' : 'no applyTo'}: it is read only when somebody adds it by hand.`,
  byteOrderMark: (path: string) => `${path} begins with a byte order mark, so some agents do not read its conditions.`,
  cutOff: (path: string, bytes: number, most: number) =>
    `${path} has ${bytes.toLocaleString('en')} bytes; Codex stops reading after ${most.toLocaleString('en')}.`,
  neverClosed: (path: string) =>
    `${path} opens a code block or a comment that is never closed; what follows is part of it.`,
  place: (folder: string) => (folder === '' ? 'The repository' : `The folder ${folder}`),
  onlyFor: (place: string, agents: string, others: string) =>
    `${place} has instructions only for ${agents}; ${others} have none.`,
  separate: (place: string, files: string) =>
    `${place} gives its agents different instructions, in separate files: ${files}.`,
}

/** Why a file or folder was not read. */
export const unreadText = {
  file: (path: string, why: string) => `${path} was not read: ${why}.`,
  tooManyFindings: (count: number, most: number) => `There are ${count} findings; the first ${most} are listed.`,
  link: (target: string) => `a link to ${target}`,
  nestedRepository: (folder: string) => `${folder} is a separate git repository; its files were skipped.`,
  hiddenName: (path: string) => `${JSON.stringify(path)} has invisible characters in its name; it was skipped.`,
  tooManyEntries: (most: number) => `The repository has more than ${most} entries; the rest was not read.`,
  tooDeep: (path: string) => `${path} is nested too deeply and was not read.`,
  tooManyFiles: (count: number, most: number) => `There are ${count} instruction files; the first ${most} were read.`,
  folder: (folder: string, why: string) => `${folder === '' ? 'The repository' : folder} could not be read: ${why}.`,
  noTarget: (target: string) => `it points to ${target}, which does not exist`,
  outside: (target: string) => `it points out of the repository, to ${target}`,
  tooLarge: (bytes: number, most: number) =>
    `it has ${bytes.toLocaleString('en')} bytes, and files above ${most.toLocaleString('en')} are not read`,
  zeroByte: 'it is not text: it holds a zero byte',
  notUtf8: 'it is not valid UTF-8',
}
